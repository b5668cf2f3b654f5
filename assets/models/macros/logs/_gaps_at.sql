-- Up to where the holes in each partition of the offsets topic reach that may hide something of before an instant, and
-- up to where holes do, of whatever time, in which something was damaged: there even the newest record of a key may be
-- lost.
SELECT
    cluster, log_partition,
    max(to_log_offset) FILTER (from_at IS NULL OR least(from_at, to_at) <= ts) AS hidden_to,
    max(to_log_offset) FILTER (is_damage) AS damaged_to
FROM core.log_gaps
GROUP BY cluster, log_partition
