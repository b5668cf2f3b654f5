-- What is looked at to know the offset store of a group (NULL: of all groups) at an instant: the store before it that
-- internal.offset_snapshots has, and what was committed or removed since. Of each key the last row in the order of
-- effect stands. Without times in the log (before Kafka 0.10) only the end of the log is an instant.
FROM (
    FROM internal.offset_snapshots WHERE taken_at = _snapshot_before(ts)
    UNION ALL BY NAME
    FROM core.commits
    WHERE effective_at > _snapshot_before(ts) AND effective_at <= ts AND log_partition IN (FROM _partitions_of(grp))
    UNION ALL BY NAME
    FROM core.commits WHERE effective_at IS NULL AND ts = 'infinity'::TIMESTAMPTZ
)
WHERE grp IS NULL OR group_id = grp
