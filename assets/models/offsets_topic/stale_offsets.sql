-- Offsets that nobody moves on any more, and why: their topic is gone, nobody subscribes it, or the group has no
-- members.
WITH ids AS (
    SELECT n.cluster, n.log_partition, n.log_offset, c.topic_id
    FROM mart.offsets_now AS n JOIN core.commits AS c USING (cluster, log_partition, log_offset)
),
topic_names AS (SELECT cluster, topic, arg_max(topic_id, last_seen_at) AS topic_id FROM core.topics GROUP BY ALL),
deleted_topics AS (
    SELECT cluster, topic, max(effective_at) AS deleted_at FROM core.commits WHERE cause = 'topic_deleted' GROUP BY ALL
),
last_states AS (SELECT cluster, log_partition, group_id, from_at FROM recorded_states_at('infinity'::TIMESTAMPTZ)),
offset_causes AS (
    SELECT
        f.*, g.from_at, d.deleted_at, i.topic_id AS committed_topic_id, n.topic_id,
        CASE
            WHEN i.topic_id <> n.topic_id THEN 'topic_recreated'
            WHEN d.deleted_at > f.commit_at THEN 'topic_deleted'
            WHEN f.group_type <> 'simple' AND f.group_state = 'Dead' THEN 'group_removed'
            WHEN f.group_type <> 'simple' AND f.group_state = 'Empty' THEN 'no_members'
            WHEN NOT f.is_subscribed AND f.group_type <> 'simple' THEN 'not_subscribed'
        END AS cause
    FROM mart.expiry_forecast AS f
    LEFT JOIN ids AS i USING (cluster, log_partition, log_offset)
    LEFT JOIN topic_names AS n USING (cluster, topic)
    LEFT JOIN deleted_topics AS d USING (cluster, topic)
    LEFT JOIN last_states AS g USING (cluster, log_partition, group_id)
)
SELECT
    j.cluster, j.group_id, j.topic, j.partition, j.cause,
    CASE j.cause
        WHEN 'topic_deleted' THEN j.deleted_at WHEN 'group_removed' THEN j.from_at WHEN 'no_members' THEN j.from_at
    END
        AS since,
    j.group_type, j.group_state, j.current_offset, j.commit_at, if(j.cause LIKE 'topic%', NULL, l.lag) AS lag,
    if(j.cause LIKE 'topic%', NULL, l.lag_lower) AS lag_lower,
    if(j.cause LIKE 'topic%', NULL, l.lost_offsets) AS lost_offsets, j.expires_at, j.log_partition, j.log_offset
FROM offset_causes AS j
LEFT JOIN mart.lag_now AS l USING (cluster, group_id, topic, partition)
WHERE j.cause IS NOT NULL
ORDER BY j.cluster, j.group_id, j.topic, j.partition
