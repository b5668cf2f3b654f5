-- The offset store as it stood at an instant: per key the last commit that had taken effect, unless it was removed.
-- Without times in the log (before Kafka 0.10) only the end of the log is an instant.
-- The last one is gathered and not sorted for, which takes a fourth of the time.
SELECT cluster, group_id, topic, partition, last.committed_offset AS current_offset, last.effective_at, last.commit_at,
       last.leader_epoch, last.metadata, last.log_partition, last.log_offset
FROM (
    SELECT cluster, group_id, topic, partition,
           arg_max(
               {'kind': kind, 'committed_offset': committed_offset, 'effective_at': effective_at,
                'commit_at': commit_at, 'leader_epoch': leader_epoch, 'metadata': metadata,
                'log_partition': log_partition, 'log_offset': log_offset},
               {'effective': effective_log_offset, 'own': log_offset}
           ) AS last
    FROM core.commits
    WHERE coalesce(effective_at <= ts, ts = 'infinity'::TIMESTAMPTZ)
    GROUP BY cluster, group_id, topic, partition
)
WHERE last.kind <> 'removed'
