-- Offsets per second that are appended to each partition of a claim, and that its group commits there: over all that is
-- known.
WITH claims AS (
    SELECT DISTINCT cluster, group_id, topic, partition
    FROM (
        SELECT cluster, group_id, topic, partition FROM skip_findings
        UNION ALL
        SELECT cluster, group_id, topic, partition FROM replay_findings
    )
),
append_rates AS (
    SELECT
        cluster, topic, partition,
        (max(log_end_offset)::DOUBLE - min(log_end_offset))
        * 1000
        / nullif(epoch_ms(max(reached_at)) - epoch_ms(min(reached_at)), 0)
            AS per_second
    FROM core.log_ends
    WHERE
        source = 'batch'
        AND until_at IS NULL
        AND (cluster, topic, partition) IN (SELECT (cluster, topic, partition) FROM claims)
    GROUP BY cluster, topic, partition
),
commit_rates AS (
    SELECT
        cluster, group_id, topic, partition,
        (max(committed_offset)::DOUBLE - min(committed_offset)) * 1000
        / nullif(epoch_ms(max(effective_at)) - epoch_ms(min(effective_at)), 0) AS per_second
    FROM core.commits SEMI JOIN claims USING (cluster, group_id, topic, partition)
    GROUP BY cluster, group_id, topic, partition
)
SELECT
    c.cluster, c.group_id, c.topic, c.partition,
    coalesce(nullif(a.per_second, 0), nullif(m.per_second, 0)) AS per_second
FROM claims AS c
LEFT JOIN append_rates AS a USING (cluster, topic, partition)
LEFT JOIN commit_rates AS m USING (cluster, group_id, topic, partition)
