-- Up to which instant the lag of each partition will most likely stay as it is: up to the first end of its log that
-- the next batches may change, for a transaction is open there or nothing to read came behind it; or, where the log
-- stands still, up to ten minutes before the newest of its cluster. A partition of which older facts came later once
-- counts by its own log only. What is in fact the same, `lag_digests` says.
WITH log_tails AS (
    SELECT
        cluster, topic, partition, arg_max(last_stable_offset, log_end_offset) AS stable_to,
        max(reached_at) AS newest_at
    FROM internal.batch_index
    GROUP BY ALL
),
-- Batches that begin before this one are followed by records for good.
last_batches AS (
    SELECT
        i.cluster, i.topic, i.partition, any_value(t.newest_at) AS newest_at,
        coalesce(max(i.base_offset) FILTER (i.records_lower > 0 AND i.log_end_offset <= t.stable_to), -1) AS settled_to
    FROM internal.batch_index AS i JOIN log_tails AS t USING (cluster, topic, partition)
    GROUP BY ALL
),
open_ends AS (
    SELECT i.cluster, i.topic, i.partition, min(i.reached_at) AS final_to
    FROM internal.batch_index AS i JOIN last_batches AS t USING (cluster, topic, partition)
    WHERE i.log_end_offset > t.settled_to OR i.reached_at = t.newest_at
    GROUP BY ALL
),
open_bounds AS (
    SELECT b.cluster, b.topic, b.partition, min(b.from_at) AS bounded_from
    FROM core.log_end_bounds AS b LEFT JOIN last_batches AS t USING (cluster, topic, partition)
    WHERE b.to_at IS NULL OR b.log_end_upper > t.settled_to
    GROUP BY ALL
),
uses AS (
    SELECT DISTINCT cluster, log_partition, topic, partition FROM internal.committed_partitions WHERE commits > 0
)
SELECT
    u.cluster, u.log_partition, u.topic, u.partition,
    least(if(coalesce(f.is_late, FALSE), e.final_to, greatest(e.final_to, h.horizon_at)), b.bounded_from) AS final_to
FROM uses AS u
JOIN horizons AS h USING (cluster)
LEFT JOIN open_ends AS e USING (cluster, topic, partition)
LEFT JOIN open_bounds AS b USING (cluster, topic, partition)
LEFT JOIN earlier_frontiers AS f USING (cluster, log_partition, topic, partition)
