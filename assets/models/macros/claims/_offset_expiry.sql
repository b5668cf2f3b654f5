-- Committed offsets of the offsets topic with what decides when they expire: the group that the partition of the topic
-- has, its state, whether its members subscribe to the topic, and what an open transaction is about to commit.
WITH groups AS (
    SELECT cluster, log_partition, group_id, group_type, state FROM group_states_at('infinity'::TIMESTAMPTZ)
),
classic_states AS (
    SELECT cluster, log_partition, group_id, last.protocol_type, last.state_at
    FROM (
        SELECT
            cluster,
            log_partition,
            group_id,
            arg_max({ 'protocol_type': protocol_type, 'state_at': state_at }, log_offset) AS last
        FROM core.generations WHERE group_type = 'classic' GROUP BY ALL
    )
),
explicit_expiries AS (
    SELECT n.cluster, n.log_partition, n.log_offset, c.expire_at
    FROM mart.offsets_now AS n JOIN core.commits AS c USING (cluster, log_partition, log_offset)
    WHERE c.expire_at IS NOT NULL
),
pending_commits AS (
    SELECT DISTINCT cluster, h.group_id, h.topic, h.partition, TRUE AS is_pending
    FROM (SELECT cluster, unnest(pending_commits) AS h FROM mart.open_transactions)
)
SELECT
    n.*, coalesce(g.group_type, 'simple') AS group_type, if(g.group_type IS NULL, 'Empty', g.state) AS group_state,
    c.protocol_type, c.state_at, x.expire_at, w.is_pending, k.known_until,
    CASE
        WHEN group_state IN ('Empty', 'Dead') THEN FALSE
        WHEN list_contains(s.topics, n.topic) THEN TRUE
        WHEN s.is_known THEN FALSE
    END AS is_subscribed
FROM (SELECT * EXCLUDE (is_known, last_seen_offset) FROM mart.offsets_now WHERE is_known AND log_partition >= 0) AS n
LEFT JOIN groups AS g USING (cluster, log_partition, group_id)
LEFT JOIN classic_states AS c USING (cluster, log_partition, group_id)
LEFT JOIN subscribed_topics() AS s USING (cluster, group_id)
LEFT JOIN explicit_expiries AS x USING (cluster, log_partition, log_offset)
LEFT JOIN pending_commits AS w USING (cluster, group_id, topic, partition)
LEFT JOIN (SELECT cluster, newest_at AS known_until FROM _newest_records()) AS k USING (cluster)
