-- The keys of all commits: the place of the last commit of each, and how many of its commits have a leader epoch.
SELECT
    cluster, log_partition, group_id, topic, partition, max(effective_at) AS effective_at,
    max(effective_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS place,
    count(leader_epoch) FILTER (kind IN ('advance', 'repeat')) AS with_epoch,
    count_if(leader_epoch IS NULL AND kind = 'advance') AS without_epoch
FROM core.commits GROUP BY ALL
