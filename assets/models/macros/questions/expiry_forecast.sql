-- When each committed offset expires if nothing changes, by the broker's offsets.retention.minutes (the argument, or
-- with NULL what its configuration says, else Kafka's default since 2.0), and what a restart would cost then: at the
-- earliest offset what is read again, at the latest what is skipped. The rules are those since Kafka 2.1; what a member
-- subscribes to doesn't expire, nor what an open transaction is about to commit. An offset that is not known is left
-- out. What a group is, is asked of the partition of the offsets topic that has the offset.
WITH rules AS (
    SELECT
        *,
        CASE
            WHEN is_pending THEN 'pending_transaction'
            WHEN group_state IS NULL THEN 'unknown'
            WHEN is_subscribed THEN 'subscribed'
            WHEN group_type = 'classic' AND group_state = 'Stable' AND protocol_type <> 'consumer' THEN 'other_protocol'
            WHEN is_subscribed IS NULL THEN 'unknown'
            WHEN expire_at IS NOT NULL THEN 'explicit'
            WHEN group_type = 'classic' AND group_state = 'Empty' AND protocol_type <> '' AND state_at IS NOT NULL
                THEN 'since_empty'
            ELSE 'since_commit'
        END AS expiry_basis
    FROM _offset_expiry()
    LEFT JOIN
        (SELECT * EXCLUDE (from_at) FROM retention_of('mart.offsets_now') WHERE until_at IS NULL)
        USING (cluster, topic)
),
expiries AS (
    SELECT
        *,
        CASE expiry_basis WHEN 'since_empty' THEN state_at WHEN 'since_commit' THEN commit_at END
            AS retention_started_at,
        _instant_of(epoch_ms(if(
            expiry_basis = 'explicit', expire_at,
            retention_started_at + to_minutes(coalesce(retention_minutes, offsets_retention_minutes))
        ))) AS expires_at
    FROM rules
)
SELECT
    t.cluster,
    t.group_id,
    t.topic,
    t.partition,
    t.current_offset,
    t.group_type,
    t.group_state,
    t.is_subscribed,
    t.commit_at,
    t.expiry_basis, t.retention_started_at, t.expires_at, t.expires_at < t.known_until AS is_overdue,
    e.offsets_again AS earliest_offsets, if(e.offsets_skipped > 0, NULL, e.records) AS earliest_records,
    l.offsets_skipped AS latest_offsets, if(l.offsets_again > 0, NULL, l.records) AS latest_records,
    coalesce(retention_minutes, t.offsets_retention_minutes)::BIGINT AS offsets_retention_minutes,
    if(retention_minutes IS NULL, t.offsets_retention_origin, 'argument') AS offsets_retention_origin,
    t.log_partition, t.log_offset
FROM expiries AS t
LEFT JOIN reset_cost(NULL, NULL, 'earliest') AS e USING (cluster, group_id, topic, partition)
LEFT JOIN reset_cost(NULL, NULL, 'latest') AS l USING (cluster, group_id, topic, partition)
