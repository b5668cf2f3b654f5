-- The periods without members, once for each bin of 65,536 offsets of the offsets topic that they reach into and that
-- has commits.
WITH bins AS (SELECT DISTINCT cluster, log_partition, effective_log_offset >> 16 AS bin FROM core.commits)
SELECT s.*, b.bin
FROM group_periods AS s
JOIN bins AS b
    ON
        b.cluster = s.cluster AND b.log_partition = s.log_partition AND b.bin >= s.state_log_offset >> 16
        AND b.bin <= coalesce(s.next_log_offset, 9223372036854775807) >> 16
WHERE is_memberless
