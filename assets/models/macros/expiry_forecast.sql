-- When each committed offset expires if nothing changes, by the broker's offsets.retention.minutes (the argument, or with NULL what its
-- configuration says, else Kafka's default since 2.0), and what
-- a restart would cost then: at the earliest offset what is read again, at the latest what is skipped. The rules are those
-- since Kafka 2.1; what a member subscribes to doesn't expire, nor what an open transaction is about to commit. An offset that
-- is not known is left out. What a group is, is asked of the partition of the offsets topic that has the offset.
WITH groups AS (SELECT cluster, log_partition, group_id, group_type, state FROM group_states_at('infinity'::TIMESTAMPTZ)),
classic AS (
    SELECT cluster, log_partition, group_id, last.protocol_type, last.state_at
    FROM (
        SELECT cluster, log_partition, group_id, arg_max({'protocol_type': protocol_type, 'state_at': state_at}, log_offset) AS last
        FROM core.generations WHERE group_type = 'classic' GROUP BY ALL
    )
),
explicit AS (
    SELECT n.cluster, n.log_partition, n.log_offset, c.expire_at
    FROM mart.offsets_now AS n JOIN core.commits AS c USING (cluster, log_partition, log_offset)
    WHERE c.expire_at IS NOT NULL
),
awaited AS (
    SELECT DISTINCT cluster, h.group_id, h.topic, h.partition, true AS is_pending
    FROM (SELECT cluster, unnest(pending_commits) AS h FROM mart.open_transactions)
),
times AS (
    SELECT cluster, effective_at FROM mart.offsets_now
    UNION ALL
    SELECT cluster, from_at FROM core.group_states WHERE source IS DISTINCT FROM 'server.log'
),
newest AS (SELECT cluster, newest_at AS known_until FROM newest_of('times')),
stands AS (
    SELECT n.*, coalesce(g.group_type, 'simple') AS group_type, if(g.group_type IS NULL, 'Empty', g.state) AS group_state,
           c.protocol_type, c.state_at, x.expire_at, w.is_pending, k.known_until,
           CASE WHEN group_state IN ('Empty', 'Dead') THEN false
                WHEN list_contains(s.topics, n.topic) THEN true
                WHEN s.is_known THEN false END AS is_subscribed
    FROM (SELECT * EXCLUDE (is_known, last_seen_offset) FROM mart.offsets_now WHERE is_known) AS n
    LEFT JOIN groups AS g USING (cluster, log_partition, group_id)
    LEFT JOIN classic AS c USING (cluster, log_partition, group_id)
    LEFT JOIN subscribed_topics() AS s USING (cluster, group_id)
    LEFT JOIN explicit AS x USING (cluster, log_partition, log_offset)
    LEFT JOIN awaited AS w USING (cluster, group_id, topic, partition)
    LEFT JOIN newest AS k USING (cluster)
),
ruled AS (
    SELECT *,
           CASE WHEN is_pending THEN 'pending_transaction'
                WHEN group_state IS NULL THEN 'unknown'
                WHEN is_subscribed THEN 'subscribed'
                WHEN group_type = 'classic' AND group_state = 'Stable' AND protocol_type <> 'consumer' THEN 'other_protocol'
                WHEN is_subscribed IS NULL THEN 'unknown'
                WHEN expire_at IS NOT NULL THEN 'explicit'
                WHEN group_type = 'classic' AND group_state = 'Empty' AND protocol_type <> '' AND state_at IS NOT NULL
                    THEN 'since_empty'
                ELSE 'since_commit' END AS expiry_basis
    FROM stands LEFT JOIN (SELECT * EXCLUDE (from_at) FROM retention_of('mart.offsets_now') WHERE until_at IS NULL) USING (cluster, topic)
),
timed AS (
    SELECT *, CASE expiry_basis WHEN 'since_empty' THEN state_at WHEN 'since_commit' THEN commit_at END AS retention_started_at,
           _instant_of(epoch_ms(if(expiry_basis = 'explicit', expire_at,
               retention_started_at + to_minutes(coalesce(retention_minutes, offsets_retention_minutes))))) AS expires_at
    FROM ruled
)
SELECT t.cluster, t.group_id, t.topic, t.partition, t.current_offset, t.group_type, t.group_state, t.is_subscribed, t.commit_at,
       t.expiry_basis, t.retention_started_at, t.expires_at, t.expires_at < t.known_until AS is_overdue,
       e.offsets_again AS earliest_offsets, if(e.offsets_skipped > 0, NULL, e.records) AS earliest_records,
       l.offsets_skipped AS latest_offsets, if(l.offsets_again > 0, NULL, l.records) AS latest_records,
       coalesce(retention_minutes, t.offsets_retention_minutes)::BIGINT AS offsets_retention_minutes,
       if(retention_minutes IS NULL, t.offsets_retention_origin, 'argument') AS offsets_retention_origin,
       t.log_partition, t.log_offset
FROM timed AS t
LEFT JOIN reset_cost(NULL, NULL, 'earliest') AS e USING (cluster, group_id, topic, partition)
LEFT JOIN reset_cost(NULL, NULL, 'latest') AS l USING (cluster, group_id, topic, partition)
