-- The commits, and removals, before which a hole in the log may hide others of their key.
SELECT cluster, group_id, topic, partition, log_partition, log_offset, effective_at
FROM core.commits
WHERE NOT is_previous_known
ORDER BY cluster, group_id, topic, partition, log_offset
