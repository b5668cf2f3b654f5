-- How long records of topics stay, and how long committed offsets do, with the origin of each: topic, broker, or default where
-- no configuration was found, which is Kafka's: a week for both (offsets since 2.0). `topics_of` names a table of the topics. A
-- retention below 0 has no end, and is NULL.
WITH topics AS (SELECT DISTINCT cluster, topic FROM query_table(topics_of)),
own AS (
    SELECT cluster, resource_name AS topic, try_cast(last.config_value AS BIGINT) AS number
    FROM (
        SELECT cluster, resource_name, arg_max({'config_value': config_value}, (coalesce(log_offset, -1), read_at)) AS last
        FROM raw.configurations WHERE resource_type = 'topic' AND config_name = 'retention.ms'
        GROUP BY ALL
    )
    WHERE last.config_value IS NOT NULL
),
brokers AS (
    SELECT cluster, coalesce(
               any_value(number) FILTER (config_name = 'log.retention.ms'),
               any_value(60000 * number::HUGEINT) FILTER (config_name = 'log.retention.minutes'),
               any_value(3600000 * number::HUGEINT) FILTER (config_name = 'log.retention.hours')
           ) AS number,
           any_value(number) FILTER (config_name = 'offsets.retention.minutes') AS offsets_minutes
    FROM broker_settings() GROUP BY ALL
),
found AS (
    SELECT cluster, topic, coalesce(o.number, b.number, 604800000) AS retention_ms,
           CASE WHEN o.number IS NOT NULL THEN 'topic' WHEN b.number IS NOT NULL THEN 'broker' ELSE 'default' END AS retention_origin,
           coalesce(b.offsets_minutes, 10080) AS offsets_minutes,
           if(b.offsets_minutes IS NULL, 'default', 'broker') AS offsets_retention_origin
    FROM topics LEFT JOIN own AS o USING (cluster, topic) LEFT JOIN brokers AS b USING (cluster)
)
SELECT cluster, topic, if(retention_ms >= 0, least(retention_ms, 3155760000000)::BIGINT, NULL) AS retention_ms, retention_origin,
       greatest(least(offsets_minutes, 52596000), 1)::BIGINT AS offsets_retention_minutes, offsets_retention_origin
FROM found
