-- How many partitions each rebalance moved, and for how long they were paused.
SELECT
    cluster, log_partition, group_id, rebalance_log_offset AS log_offset, count_if(fate = 'moved') AS moved,
    count_if(fate = 'taken up') AS taken_up, count_if(fate = 'lost') AS lost,
    count(*) FILTER (fate IN ('moved', 'kept')) AS handed, count(pause_ms) FILTER (fate IN ('moved', 'kept')) AS known,
    count(*) FILTER (fate IN ('moved', 'kept') AND coalesce(pause_ms, pause_least_ms, 1) > 0) AS paused,
    max(pause_ms) FILTER (fate IN ('moved', 'kept')) AS pause_ms,
    sum(pause_ms) FILTER (fate IN ('moved', 'kept')) AS pause_total_ms,
    max(pause_least_ms) FILTER (fate IN ('moved', 'kept')) AS pause_least_ms
FROM mart.partition_moves
GROUP BY ALL
