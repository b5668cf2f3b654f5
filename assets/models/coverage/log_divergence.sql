-- What contradicts: copies of a log that say different things, commits that the log that won knows nothing of, commits
-- ahead of the log, and groups in a partition of the offsets topic that their ids don't belong in.
SELECT
    cluster, kind, topic, partition, group_id, from_offset, to_offset, broker_id, path, archived_epoch, other_epoch,
    home_partition, occurrences, first_at, certainty, log_partition, log_offset, last_log_offset
FROM (
    FROM divergent_copies
    UNION ALL BY NAME
    FROM divergent_commits
    UNION ALL BY NAME
    FROM misplaced_groups
)
ORDER BY ALL
