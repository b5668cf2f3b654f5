-- Some removals of offsets, each with the cause that its record, the brokers' configuration and the coordinators' text
-- logs tell. The coordinator before that of Kafka 4 writes the same whether offsets, the group or its topics were
-- deleted: without a text log the cause is 'unknown' there. `removals_of` names a table, or a WITH, of rows of
-- core.commits.
WITH deletions AS (
    SELECT DISTINCT cluster, group_id, logged_at FROM raw.coordinator_events WHERE event = 'offsets_are_deleted'
),
removals AS (FROM query_table(removals_of))
SELECT
    c.cluster, c.group_id, c.topic, c.partition, c.log_partition, c.log_offset, c.effective_log_offset, c.effective_at,
    c.previous_offset,
    CASE WHEN cause IN ('unknown', 'old_coordinator_cleanup') AND c.log_partition >= 0 AND EXISTS (
        FROM deletions AS d
        WHERE
            d.cluster = c.cluster AND d.group_id = c.group_id
            AND d.logged_at BETWEEN c.effective_at - INTERVAL 5 SECOND AND c.effective_at + INTERVAL 5 SECOND
    ) THEN 'offsets_deleted'
    WHEN
        cause IN ('unknown', 'old_coordinator_cleanup') AND r.offsets_retention_origin = 'broker'
        AND c.idle_ms >= 60000 * r.offsets_retention_minutes THEN 'expired'
    WHEN cause = 'old_coordinator_cleanup' THEN 'unknown'
    ELSE cause END AS cause
FROM removals AS c
LEFT JOIN retention_of('removals') AS r
    ON
        r.cluster = c.cluster AND r.topic = c.topic AND r.from_at <= c.effective_at
        AND (r.until_at IS NULL OR c.effective_at < r.until_at)
