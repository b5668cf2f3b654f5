-- Members and generations of each group in the order of its log, for who asks what assignors would have made of them. A
-- generation comes after its members; that of a group that is not classic is asked when its target is complete. What is
-- not asked still tells who has what: a static member that came back has what it had. What was judged
-- for good before (final_rows) is not asked again.
WITH names AS (
    SELECT cluster, map(list(topic_id), list(topic)) AS of_id
    FROM _topic_names()
    WHERE topic IS NOT NULL
    GROUP BY cluster
),
final_generations AS (SELECT DISTINCT cluster, log_partition, group_id, log_offset FROM final_rows),
states AS (
    SELECT
        s.*, g.protocol, g.protocol_type,
        coalesce(s.assignment_epoch, s.generation) AS number,
        lag(coalesce(s.assignment_epoch, s.generation)) OVER log AS number_before,
        coalesce(lag(s.group_type) OVER log <> s.group_type AND lag(s.state) OVER log <> 'Dead', FALSE) AS is_converted
    FROM internal.recorded_group_states AS s
    LEFT JOIN core.generations AS g USING (cluster, log_partition, log_offset)
    WHERE s.group_type IN ('classic', 'consumer')
    WINDOW log AS (PARTITION BY s.cluster, s.log_partition, s.group_id ORDER BY s.log_offset)
)
SELECT
    s.cluster, s.log_partition, s.group_id, s.group_type, s.log_offset, number AS generation,
    NULL AS member_id,
    NULL AS group_instance_id,
    NULL AS rack_id,
    NULL AS server_assignor,
    NULL AS topics,
    NULL AS subscribed_regex,
    NULL AS given, NULL::BIGINT AS to_log_offset, protocol, is_gap_free,
    state IN ('Empty', 'Dead') AS is_empty,
    coalesce(
        k.log_offset IS NULL
        AND state NOT IN ('Empty', 'Dead')
        AND (number <> number_before OR number_before IS NULL OR is_converted)
        AND coalesce(protocol_type = 'consumer', TRUE), FALSE
    ) AS is_asked,
    is_converted
FROM states AS s
LEFT JOIN final_generations AS k USING (cluster, log_partition, group_id, log_offset)
WHERE state IN ('Empty', 'Dead', 'Stable') OR generation = assignment_epoch AND number IS DISTINCT FROM number_before
UNION ALL
SELECT
    m.cluster,
    log_partition,
    group_id,
    group_type,
    log_offset,
    generation,
    member_id,
    group_instance_id,
    rack_id,
    server_assignor,
    subscribed_topics, subscribed_regex,
    list_transform(if(group_type = 'classic', assigned, target), LAMBDA a: {
        'topic': coalesce(a.topic, n.of_id[a.topic_id]), 'partitions': a.partitions
    }),
    to_log_offset, NULL, NULL, NULL, NULL, NULL
FROM core.members AS m LEFT JOIN names AS n USING (cluster)
WHERE group_type IN ('classic', 'consumer')
ORDER BY cluster, log_partition, group_id, log_offset, member_id IS NULL, member_id
