-- The members of a group (NULL: of all groups) at an instant, by what was last written of each before it. Names of
-- topics stand beside their ids where they are known. Where a hole in the log lies between a record and the next one,
-- it may not have been the last. Without times in the log (before Kafka 0.10) only the end of the log is an instant.
WITH member_versions AS (
    FROM core.members
    WHERE
        (grp IS NULL OR group_id = grp)
        AND coalesce(from_at <= ts, ts = 'infinity'::TIMESTAMPTZ)
        AND (to_log_offset IS NULL OR to_at > ts)
),
-- Nodes of members in ZooKeeper don't say what they own: those of the owners do.
owned AS (
    SELECT
        cluster, group_id, member_id,
        list({ 'topic': topic, 'topic_id': NULL::VARCHAR, 'partitions': partitions } ORDER BY topic) AS assigned
    FROM (
        SELECT cluster, group_id, member_id, topic, list(partition ORDER BY partition) AS partitions
        FROM core.ownership
        WHERE
            group_type = 'zookeeper' AND (grp IS NULL OR group_id = grp)
            AND coalesce(seen_at <= ts, ts = 'infinity'::TIMESTAMPTZ)
            AND (until_log_offset IS NULL OR until_at > ts) AND end_reason IS DISTINCT FROM 'unknown'
        GROUP BY ALL
    )
    GROUP BY ALL
),
names AS (
    SELECT cluster, map(list(topic_id), list(topic)) AS of_id FROM _topic_names() GROUP BY cluster
),
names_in_groups AS (
    SELECT cluster, group_id, map(list(topic_id), list(topic)) AS of_id
    FROM _owned_topic_names(grp := grp)
    GROUP BY cluster, group_id
)
SELECT
    m.cluster, m.group_id, m.group_type, m.generation, g.state, m.member_id, m.group_instance_id, m.client_id,
    m.client_host, m.state AS member_state, m.uses_classic_protocol, g.assignment_epoch AS target_epoch,
    list_transform(if(m.group_type = 'zookeeper', o.assigned, m.assigned), LAMBDA a: {
        'topic': coalesce(a.topic, n.of_id[a.topic_id], w.of_id[a.topic_id]),
        'topic_id': a.topic_id, 'partitions': a.partitions
    }) AS assigned,
    list_transform(m.target, LAMBDA a: {
        'topic': coalesce(a.topic, n.of_id[a.topic_id], w.of_id[a.topic_id]),
        'topic_id': a.topic_id, 'partitions': a.partitions
    }) AS target,
    m.is_gap_free,
    (
        NOT m.is_gap_free
        AND (m.to_log_offset IS NOT NULL AND m.log_offset < h.hidden_to OR m.group_type = 'zookeeper')
    ) IS NOT TRUE AS is_known
FROM member_versions AS m
LEFT JOIN _gaps_at(ts) AS h USING (cluster, log_partition)
LEFT JOIN names AS n USING (cluster)
LEFT JOIN names_in_groups AS w USING (cluster, group_id)
LEFT JOIN owned AS o USING (cluster, group_id, member_id)
LEFT JOIN (FROM recorded_states_at(ts, grp := grp) WHERE is_known) AS g USING (cluster, log_partition, group_id)
