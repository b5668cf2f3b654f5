-- Where the commits of each group are.
SELECT
    cluster, group_id, log_partition, count(*) AS commits, min(log_offset) AS first_log_offset,
    max(log_offset) AS last_log_offset
FROM core.commits
GROUP BY cluster, group_id, log_partition
ORDER BY cluster, group_id, log_partition
