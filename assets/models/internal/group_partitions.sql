-- Where the commits of each group are.
SELECT
    cluster, group_id, log_partition, sum(commits + removals)::BIGINT AS commits,
    min(first_log_offset) AS first_log_offset, max(last_log_offset) AS last_log_offset
FROM internal.committed_partitions
GROUP BY cluster, group_id, log_partition
ORDER BY cluster, group_id, log_partition
