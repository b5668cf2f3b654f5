-- The groups of Kafka Connect, where it is certain. A sink connector commits as connect-NAME, and each of its tasks is
-- a member with a client id of the connector's name and the task's number: both have to agree. Workers say so
-- themselves, by the type of their protocol.
SELECT cluster, group_id, min(role) AS role, max(connector) AS connector
FROM (
    SELECT cluster, group_id, 'sink_connector' AS role, substr(group_id, 9) AS connector
    FROM core.members
    WHERE
        starts_with(group_id, 'connect-')
        AND starts_with(client_id, 'connector-consumer-' || substr(group_id, 9) || '-')
        AND regexp_full_match(substr(client_id, length(group_id) + 13), '[0-9]+')
    UNION ALL
    SELECT cluster, group_id, 'workers', NULL FROM core.generations WHERE protocol_type = 'connect'
)
GROUP BY cluster, group_id
