-- What a broker said of a log beyond the batches that were read is a stretch that nobody looked into.
SELECT
    t.cluster, t.topic, t.partition, any_value(t.source) AS source, t.log_end_offset,
    min(t.reached_at) AS first_at, max(t.reached_at) AS last_at, max(t.last_stable_offset) AS last_stable_offset
FROM broker_log_ends AS t LEFT JOIN batch_ends AS e USING (cluster, topic, partition)
WHERE t.log_end_offset > coalesce(e.last_end, 0)
GROUP BY ALL
