-- The settings of each cluster's brokers that count now, with their origin: what running brokers say, else what KRaft's log
-- sets for brokers, else what a server.properties says; where brokers differ the smallest. Whole numbers only, in Kafka's own units.
WITH latest AS (
    SELECT cluster, source, resource_type, config_name,
           if(last.config_value SIMILAR TO '-?[0-9]+', try_cast(last.config_value AS BIGINT), NULL) AS number
    FROM (
        SELECT cluster, source, resource_type, resource_name, config_name,
               arg_max({'config_value': config_value}, (coalesce(log_offset, -1), read_at)) AS last
        FROM raw.configurations WHERE resource_type IN ('broker', 'default')
        GROUP BY ALL
    )
)
SELECT cluster, config_name, min(number) AS number, source AS origin
FROM latest WHERE number IS NOT NULL
GROUP BY cluster, config_name, source, resource_type
QUALIFY row_number() OVER (
    PARTITION BY cluster, config_name
    ORDER BY list_position(['live', 'metadata', 'file'], source), list_position(['broker', 'default'], resource_type)
) = 1
