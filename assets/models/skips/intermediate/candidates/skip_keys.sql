-- The keys of all commits: the place of the last commit of each, and how many of its commits have a leader epoch.
SELECT
    cluster, log_partition, group_id, topic, partition, last_at AS effective_at,
    _commit_place(log_partition, newest_effective_log_offset, newest_log_offset) AS place,
    steps_with_epoch AS with_epoch, advances_without_epoch AS without_epoch
FROM internal.committed_partitions
