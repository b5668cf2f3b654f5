-- core.ownership with the names of topics that only their ids tell, where these are known.
SELECT o.* REPLACE (coalesce(o.topic, n.topic) AS topic)
FROM core.ownership AS o
LEFT JOIN (
    SELECT cluster, topic_id, arg_max(topic, coalesce(last_seen_at, '-infinity'::TIMESTAMPTZ)) AS topic
    FROM core.topics
    GROUP BY ALL
) AS n USING (cluster, topic_id)
