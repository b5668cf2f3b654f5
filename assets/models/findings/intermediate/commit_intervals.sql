-- How long it is on average from one commit of a group in a partition to the next: a pause that is no longer than a few
-- of these is how the group works.
SELECT
    cluster, group_id, topic, partition,
    (epoch_ms(max(effective_at)) - epoch_ms(min(effective_at))) / nullif(count(*) - 1, 0) AS interval_ms
FROM core.commits WHERE kind IS DISTINCT FROM 'removed' GROUP BY ALL
