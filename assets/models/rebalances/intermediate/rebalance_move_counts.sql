-- How many partitions each rebalance moved, and for how long they were paused.
SELECT
    cluster, log_partition, group_id, rebalance_log_offset AS log_offset, count_if(kind = 'moved') AS moved,
    count_if(kind = 'gained') AS taken_up, count_if(kind = 'lost') AS lost,
    count(*) FILTER (kind IN ('moved', 'kept')) AS handed, count(pause_ms) FILTER (kind IN ('moved', 'kept')) AS known,
    count(*) FILTER (kind IN ('moved', 'kept') AND coalesce(pause_ms, pause_lower_ms, 1) > 0) AS paused,
    max(pause_ms) FILTER (kind IN ('moved', 'kept')) AS pause_ms,
    sum(pause_ms) FILTER (kind IN ('moved', 'kept')) AS pause_total_ms,
    max(pause_lower_ms) FILTER (kind IN ('moved', 'kept')) AS pause_lower_ms
FROM mart.partition_moves
GROUP BY ALL
