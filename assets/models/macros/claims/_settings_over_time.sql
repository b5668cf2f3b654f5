-- What was set for each cluster's brokers (topic '') and for each topic, from when until when, with its origin: what
-- running brokers said, else what KRaft's log or ZooKeeper sets, else what a server.properties says; where brokers
-- differ the smallest. Whole numbers only, in Kafka's own units; NULL while nothing, or no number, is set. What a file
-- or a running broker said when it was first asked counts before as well: nothing tells of another value.
WITH setting_records AS (
    SELECT
        cluster,
        if(resource_type = 'topic', resource_name, '') AS topic,
        config_name,
        source,
        resource_type,
        resource_name,
        if(
            source IN ('file', 'live')
            AND row_number() OVER (
                PARTITION BY cluster, config_name, source, resource_type, resource_name ORDER BY read_at
            ) = 1, '-infinity'::TIMESTAMPTZ, coalesce(changed_at, read_at)
        ) AS from_at,
        coalesce(log_offset, -1) AS log_offset, read_at, config_value
    FROM raw.configurations WHERE resource_type IN ('broker', 'default', 'topic')
),
series AS (
    SELECT
        cluster, topic, config_name, source, resource_type, resource_name, from_at,
        if(last.config_value SIMILAR TO '-?[0-9]+', try_cast(last.config_value AS BIGINT), NULL) AS number
    FROM (
        SELECT
            * EXCLUDE (log_offset, read_at, config_value),
            arg_max({ 'config_value': config_value }, (log_offset, read_at)) AS last
        FROM setting_records GROUP BY ALL
    )
),
steps AS (
    SELECT s.cluster, s.topic, s.config_name, s.from_at, w.source, w.resource_type, w.resource_name
    FROM (SELECT DISTINCT cluster, topic, config_name, from_at FROM series) AS s
    JOIN (SELECT DISTINCT cluster, topic, config_name, source, resource_type, resource_name FROM series) AS w
        USING (cluster, topic, config_name)
),
stands AS (
    SELECT s.cluster, s.topic, s.config_name, s.from_at, s.source, s.resource_type, min(t.number) AS number
    FROM steps AS s
    ASOF LEFT JOIN series AS t
        ON
            t.cluster = s.cluster AND t.topic = s.topic AND t.config_name = s.config_name AND t.source = s.source
            AND t.resource_type = s.resource_type AND t.resource_name = s.resource_name AND t.from_at <= s.from_at
    GROUP BY ALL
)
SELECT
    cluster, topic, config_name, number, if(number IS NULL, NULL, source) AS origin, from_at,
    lead(from_at) OVER (PARTITION BY cluster, topic, config_name ORDER BY from_at) AS until_at
FROM (
    FROM stands QUALIFY row_number() OVER (
        PARTITION BY cluster, topic, config_name, from_at
        ORDER BY
            number IS NULL, list_position(['live', 'metadata', 'zookeeper', 'file'], source),
            list_position(['broker', 'default'], resource_type)
    ) = 1
)
