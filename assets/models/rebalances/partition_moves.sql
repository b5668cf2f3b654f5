-- What became of each partition in a rebalance: who owned it before and who after it, leaving out who did in between.
WITH rebalance_begins AS (
    SELECT cluster, group_id, to_log_offset AS log_offset, min(from_at) AS begun_at
    FROM core.group_states
    WHERE source = 'text_log' AND state = 'PreparingRebalance' AND to_log_offset IS NOT NULL
    GROUP BY ALL
),
lost_members AS (
    SELECT cluster, log_partition, group_id, rebalance_log_offset, member_id, change, session_timeout_ms, logged_at
    FROM mart.member_changes WHERE change IN ('expired', 'left', 'left_or_expired')
),
owner_stops AS (
    SELECT
        m.*, s.group_type, s.protocol, s.state_after, b.begun_at, e.change, e.session_timeout_ms, e.logged_at,
        -- When it had surely stopped: once all have rejoined; for the other kinds once it said so itself. Who
        -- expired may read on without knowing, and so may who belongs to a group of another kind now.
        CASE
            WHEN old.end_reason = 'converted' OR coalesce(e.change IN ('expired', 'left_or_expired'), FALSE) THEN NULL
            WHEN s.group_type <> 'classic' THEN old.until_at
            WHEN old.until_log_offset < new.log_offset THEN coalesce(g.state_at, new.from_at)
            ELSE s.joined_at
        END AS stopped_by,
        -- When it was told to stop, or was not heard of any more.
        CASE
            WHEN s.group_type <> 'classic' THEN coalesce(old.revoking_at, old.until_at)
            WHEN old.end_reason = 'revoked' AND old.until_log_offset < new.log_offset THEN old.until_at
            WHEN old.until_log_offset = s.log_offset THEN coalesce(e.logged_at, b.begun_at)
        END AS stopped_from
    FROM owner_changes AS m
    JOIN internal.rebalance_spans AS s
        ON
            s.cluster = m.cluster AND s.log_partition = m.log_partition AND s.group_id = m.group_id
            AND s.log_offset = m.rebalance_log_offset
    LEFT JOIN rebalance_begins AS b ON b.cluster = s.cluster AND b.group_id = s.group_id AND b.log_offset = s.log_offset
    LEFT JOIN core.generations AS g
        ON g.cluster = m.cluster AND g.log_partition = m.log_partition AND g.log_offset = new.log_offset
    LEFT JOIN lost_members AS e
        ON
            e.cluster = m.cluster AND e.log_partition = m.log_partition AND e.group_id = m.group_id
            AND e.rebalance_log_offset = m.rebalance_log_offset AND e.member_id = old.member_id
)
SELECT
    cluster, group_id, group_type, log_partition, rebalance_log_offset, topic, topic_id, partition,
    CASE
        WHEN old.log_offset IS NULL THEN 'gained'
        WHEN new.log_offset IS NULL THEN 'lost'
        WHEN old.member_id = new.member_id OR old.group_instance_id = new.group_instance_id THEN 'kept'
        ELSE 'moved'
    END AS kind,
    old.member_id AS from_member_id, old.group_instance_id AS from_group_instance_id, old.client_id AS from_client_id,
    old.client_host AS from_client_host, old.until_at AS from_until_at, old.end_reason AS from_end_reason,
    new.member_id AS to_member_id, new.group_instance_id AS to_group_instance_id, new.client_id AS to_client_id,
    new.client_host AS to_client_host, new.from_at AS to_from_at,
    CASE
        WHEN old.log_offset IS NOT NULL AND new.from_at >= stopped_by THEN epoch_ms(new.from_at) - epoch_ms(stopped_by)
    END
        AS pause_lower_ms,
    CASE WHEN epoch_ms(new.from_at) >= epoch_ms(stopped_from) THEN epoch_ms(new.from_at) - epoch_ms(stopped_from) END
        AS pause_ms,
    if(change = 'expired' OR change = 'left_or_expired', session_timeout_ms, NULL) AS silence_upper_ms,
    old.log_offset AS from_log_offset, new.log_offset AS to_log_offset
FROM owner_stops
WHERE old.log_offset IS NOT NULL OR new.log_offset IS NOT NULL
ORDER BY ALL
