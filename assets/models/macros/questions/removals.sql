-- Removals with what the log alone can't say: with the broker's offsets.retention.minutes, what stood for less did not
-- expire. Commits of the topic afterwards tell the rest, if they name its id: a topic that was deleted comes back under
-- another one.
WITH removed_offsets AS (FROM core.commits WHERE kind = 'removed'),
commits_with_ids AS (SELECT cluster, topic, topic_id, effective_at FROM core.commits WHERE topic_id IS NOT NULL),
topic_ids_before AS (
    SELECT g.cluster, g.log_partition, g.log_offset, n.topic_id
    FROM removed_offsets AS g
    ASOF JOIN commits_with_ids AS n ON n.cluster = g.cluster AND n.topic = g.topic AND n.effective_at < g.effective_at
),
topic_ids_after AS (
    SELECT g.cluster, g.log_partition, g.log_offset, n.topic_id
    FROM removed_offsets AS g
    ASOF JOIN commits_with_ids AS n ON n.cluster = g.cluster AND n.topic = g.topic AND n.effective_at > g.effective_at
)
SELECT
    g.cluster, g.group_id, g.topic, g.partition, g.effective_at AS removed_at, g.previous_offset,
    CASE
        WHEN g.cause <> 'unknown' THEN g.cause
        WHEN g.idle_ms >= retention_minutes * 60000 THEN 'expired'
        WHEN g.idle_ms IS NULL THEN 'unknown'
        WHEN g.removed_with_group AND g.is_from_old_coordinator THEN 'old_coordinator_cleanup'
        WHEN g.removed_with_group THEN 'group_deleted'
        WHEN g.removed_with_group IS NULL OR b.topic_id IS NULL OR a.topic_id IS NULL THEN 'unknown'
        WHEN b.topic_id <> a.topic_id THEN 'topic_deleted'
        ELSE 'offsets_deleted'
    END AS cause,
    g.idle_ms, g.removed_with_group, b.topic_id AS topic_id_before, a.topic_id AS topic_id_after,
    g.log_partition, g.log_offset
FROM removed_offsets AS g
LEFT JOIN topic_ids_before AS b USING (cluster, log_partition, log_offset)
LEFT JOIN topic_ids_after AS a USING (cluster, log_partition, log_offset)
