-- The newest name of each topic id.
SELECT cluster, topic_id, arg_max(topic, coalesce(last_seen_at, '-infinity'::TIMESTAMPTZ)) AS topic
FROM core.topics
GROUP BY cluster, topic_id
