-- core.ownership with the names of topics that only their ids tell, where these are known.
SELECT o.* REPLACE (coalesce(o.topic, n.topic) AS topic)
FROM core.ownership AS o
LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
