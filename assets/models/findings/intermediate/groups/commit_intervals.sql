-- How long it is on average from one commit of a group in a partition to the next: a pause that is no longer than a few
-- of these is how the group works.
SELECT
    cluster, group_id, topic, partition,
    (epoch_ms(max(last_commit_at)) - epoch_ms(min(first_commit_at))) / nullif(sum(commits) - 1, 0) AS interval_ms
FROM internal.committed_partitions WHERE commits > 0 GROUP BY ALL
