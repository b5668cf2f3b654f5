-- Every life of every topic, by what records, files and brokers say of topic ids.
SELECT cluster, topic_id, topic, min(recorded_at) AS first_seen_at, max(recorded_at) AS last_seen_at
FROM (
    SELECT cluster, topic_id, topic, recorded_at FROM internal.topic_id_names
    UNION ALL
    SELECT cluster, topic_id, topic, read_at FROM raw.segments WHERE topic_id IS NOT NULL
    UNION ALL
    SELECT cluster, topic_id, topic, sampled_at FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
    UNION ALL
    SELECT cluster, topic_id, topic, _instant_of(timestamp_ms) FROM raw.zookeeper_events WHERE topic_id IS NOT NULL
)
GROUP BY ALL
ORDER BY ALL
