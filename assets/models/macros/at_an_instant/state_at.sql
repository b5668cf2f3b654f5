-- The offset store of a group (NULL: of all groups) as it stood at an instant: per key the last commit that had taken
-- effect, unless it was removed. A hole in the log of before the instant may hide a later commit than the last one
-- seen, unless the cleaner alone made it and no later one was seen since, for of each key it leaves the newest. What
-- may be hidden is not known: NULL, with what was seen. The last one is gathered and not sorted for, which takes a
-- fourth of the time.
WITH last_commits AS (
    SELECT
        cluster, group_id, topic, partition,
        arg_max(
            {
                'kind': kind, 'committed_offset': committed_offset, 'effective_at': effective_at,
                'commit_at': commit_at, 'leader_epoch': leader_epoch, 'metadata': metadata,
                'log_partition': log_partition, 'log_offset': log_offset
            },
            _commit_place(log_partition, effective_log_offset, log_offset)
        ) AS last
    FROM _offsets_since(ts, grp := grp)
    GROUP BY cluster, group_id, topic, partition
),
-- Keys that a later commit, or removal, tells of which may have had another before it that nobody saw.
later_commits AS (
    SELECT cluster, group_id, topic, partition, max(log_partition) AS log_partition
    FROM internal.commits_after_gaps
    WHERE effective_at > ts AND (grp IS NULL OR group_id = grp)
    GROUP BY ALL
),
known_offsets AS (
    SELECT
        cluster, group_id, topic, partition, s.last, coalesce(s.last.log_partition, f.log_partition) AS log_partition,
        (
            coalesce(s.last.log_offset, -1) < h.hidden_to
            AND (f.log_partition IS NOT NULL OR coalesce(s.last.log_offset, -1) < h.damaged_to)
        ) IS NOT TRUE AS is_known
    FROM last_commits AS s
    FULL JOIN later_commits AS f USING (cluster, group_id, topic, partition)
    LEFT JOIN _gaps_at(
        ts) AS h ON h.cluster = coalesce(s.cluster, f.cluster)
    AND h.log_partition = coalesce(s.last.log_partition, f.log_partition)
)
SELECT
    cluster, group_id, topic, partition, if(is_known, last.committed_offset, NULL) AS current_offset, is_known,
    last.committed_offset AS last_seen_offset,
    last.effective_at,
    last.commit_at,
    last.leader_epoch,
    last.metadata,
    log_partition,
    last.log_offset
FROM known_offsets
WHERE NOT is_known OR last.kind <> 'removed'
