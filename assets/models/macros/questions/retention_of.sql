-- How long records of topics stayed, and committed offsets did, from when until when, with the origin of each: topic,
-- broker, or default where no configuration was found, which is Kafka's: a week for both (offsets since 2.0).
-- `topics_of` names a table of the topics. A retention below 0 has no end, and is NULL. What counts now has no
-- `until_at`.
WITH topics AS (SELECT DISTINCT cluster, topic FROM query_table(topics_of)),
own_settings AS (
    SELECT t.topic AS of_topic, s.*
    FROM _settings_over_time() AS s JOIN topics AS t ON t.cluster = s.cluster AND s.topic IN ('', t.topic)
    WHERE if(s.topic = '', s.config_name IN (
        'log.retention.ms', 'log.retention.minutes', 'log.retention.hours',
        'offsets.retention.minutes'
    ), s.config_name = 'retention.ms')
),
steps AS (
    SELECT cluster, of_topic AS topic, from_at FROM own_settings
    UNION
    SELECT cluster, topic, '-infinity'::TIMESTAMPTZ FROM topics
),
values_by_step AS (
    SELECT
        s.cluster, s.topic, s.from_at,
        any_value(o.number) FILTER (o.config_name = 'retention.ms') AS of_topic_ms,
        coalesce(
            any_value(o.number) FILTER (o.config_name = 'log.retention.ms'),
            any_value(60000 * o.number::HUGEINT) FILTER (o.config_name = 'log.retention.minutes'),
            any_value(3600000 * o.number::HUGEINT) FILTER (o.config_name = 'log.retention.hours')
        ) AS of_brokers_ms,
        any_value(o.number) FILTER (o.config_name = 'offsets.retention.minutes') AS offsets_minutes
    FROM steps AS s
    LEFT JOIN own_settings AS o
        ON
            o.cluster = s.cluster AND o.of_topic = s.topic AND o.from_at <= s.from_at
            AND (o.until_at IS NULL OR s.from_at < o.until_at)
    GROUP BY ALL
),
retention_values AS (SELECT *, coalesce(of_topic_ms, of_brokers_ms, 604800000) AS kept_ms FROM values_by_step)
SELECT
    cluster, topic, if(kept_ms >= 0, least(kept_ms, 3155760000000)::BIGINT, NULL) AS retention_ms,
    CASE WHEN of_topic_ms IS NOT NULL THEN 'topic' WHEN of_brokers_ms IS NOT NULL THEN 'broker' ELSE 'default' END
        AS retention_origin,
    greatest(least(coalesce(offsets_minutes, 10080), 52596000), 1)::BIGINT AS offsets_retention_minutes,
    if(offsets_minutes IS NULL, 'default', 'broker') AS offsets_retention_origin,
    from_at, lead(from_at) OVER (PARTITION BY cluster, topic ORDER BY from_at) AS until_at
FROM retention_values
