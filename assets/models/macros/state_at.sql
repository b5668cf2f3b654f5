-- The offset store as it stood at an instant: per key the last commit that had taken effect, unless it was removed.
SELECT cluster, group_id, topic, partition, committed_offset AS current_offset, effective_at, commit_at, leader_epoch, metadata,
       log_partition, log_offset
FROM (
    FROM core.commits
    WHERE effective_at <= ts
    QUALIFY row_number() OVER (
        PARTITION BY cluster, group_id, topic, partition ORDER BY effective_log_offset DESC, log_offset DESC
    ) = 1
)
WHERE kind <> 'removed'
