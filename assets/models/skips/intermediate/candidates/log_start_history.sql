-- The offsets at which the data logs of committed partitions began, and the last time at which each began at a lower
-- one.
SELECT
    *, log_start_offset >> 16 AS bin, max(still_at) OVER (
        PARTITION BY cluster, topic, partition
        ORDER BY log_start_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS began_earlier_at
FROM _log_starts('skip_keys')
