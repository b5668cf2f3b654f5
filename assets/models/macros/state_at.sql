-- The offset store of a group (NULL: of all groups) as it stood at an instant: per key the last commit that had taken
-- effect, unless it was removed. It is the store before it that core.stores has, and what was committed since.
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
               effective_log_offset::HUGEINT * 9223372036854775808 + log_offset
           ) AS last
    FROM (
        FROM core.stores WHERE taken_at = stored_before(ts)
        UNION ALL BY NAME
        FROM core.commits
        WHERE effective_at > stored_before(ts) AND effective_at <= ts AND log_partition IN (FROM places_of(grp))
        UNION ALL BY NAME
        FROM core.commits WHERE effective_at IS NULL AND ts = 'infinity'::TIMESTAMPTZ
    )
    WHERE grp IS NULL OR group_id = grp
    GROUP BY cluster, group_id, topic, partition
)
WHERE last.kind <> 'removed'
