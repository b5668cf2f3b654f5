-- The last ten commits of each partition that a group (NULL: any group) had committed at an instant.
WITH candidates AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        log_partition,
        log_offset,
        effective_log_offset,
        effective_at,
        committed_offset
    FROM core.commits
    WHERE
        effective_at > _snapshot_before(ts) AND effective_at <= ts AND kind <> 'removed'
        AND log_partition IN (FROM _partitions_of(grp)) AND (grp IS NULL OR group_id = grp)
    UNION ALL
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        log_partition,
        log_offset,
        effective_log_offset,
        effective_at,
        committed_offset
    FROM core.commits
    WHERE
        effective_at <= _snapshot_before(ts) AND kind <> 'removed'
        AND log_partition IN (FROM _partitions_of(grp)) AND (grp IS NULL OR group_id = grp)
        AND effective_log_offset >= (
            SELECT min(ten_from_log_offset) FROM internal.offset_snapshots
            WHERE taken_at = _snapshot_before(ts) AND (grp IS NULL OR group_id = grp)
        )
)
SELECT cluster, group_id, topic, partition, unnest(newest, recursive := TRUE)
FROM (
    SELECT
        cluster, group_id, topic, partition,
        arg_max(
            {
                'log_partition': log_partition, 'log_offset': log_offset, 'effective_at': effective_at,
                'effective_log_offset': effective_log_offset, 'committed_offset': committed_offset
            },
            _commit_place(log_partition, effective_log_offset, log_offset), 10
        ) AS newest
    FROM candidates
    GROUP BY cluster, group_id, topic, partition
)
