-- What Burrow would have said of each group (NULL: of all groups) at an instant: the worst of its partitions.
WITH verdicts AS (
    SELECT
        cluster, group_id, topic, partition, 0 AS as_of_ms, rule, strict_rule, NULL::BIGINT AS lag, log_partition,
        list_transform(commits, LAMBDA c: c.log_offset) AS log_offsets
    FROM status_at(ts, grp := grp)
)
SELECT cluster, group_id, status, strict_status, partitions, complete, worst_topic, worst_partition, deciding_rule
FROM _group_statuses('verdicts')
