-- How each owner of a partition ended, and when it stopped at the latest. Records can't tell a member that left from
-- one that expired: a coordinator's text log does, and a commit shortly before. It is heartbeats that keep a member,
-- one in a third of a session at least; commits do only in classic groups, without transactions. Consumer groups don't
-- write their session timeout down: without the brokers' configuration it is not known, and no shorter than a few
-- seconds.
WITH logged_ends AS (
    SELECT
        cluster,
        group_id,
        member_id,
        bool_or(event = 'member_failed') AS has_failed,
        bool_or(event = 'member_left') AS has_left
    FROM raw.coordinator_events
    WHERE event IN ('member_failed', 'member_left') AND member_id IS NOT NULL
    GROUP BY ALL
),
left_together AS (
    SELECT cluster, log_partition, group_id, until_log_offset, TRUE AS is_one_of_many
    FROM handovers WHERE end_reason = 'left_or_expired'
    GROUP BY ALL HAVING min(member_id) <> max(member_id)
)
SELECT
    * REPLACE (coalesce(is_one_of_many, FALSE) AS is_one_of_many),
    cause IN ('rebalance', 'member_leave', 'group_converted') AS was_alive,
    CASE
        WHEN cause IN ('member_crash', 'member_left_or_crashed') AND session_timeout_ms IS NOT NULL
            THEN greatest(until_at - to_milliseconds(session_timeout_ms), last.committed_at)
        ELSE until_at
    END AS stopped_at
FROM (
    SELECT
        h.*, m.is_one_of_many,
        CASE
            WHEN end_reason IN ('revoked', 'renewed') THEN 'rebalance' WHEN end_reason = 'left' THEN 'member_leave'
            WHEN end_reason = 'expired' THEN 'member_crash'
            WHEN end_reason = 'replaced' THEN 'static_member_replaced'
            WHEN end_reason = 'converted' THEN 'group_converted'
            WHEN end_reason = 'removed' THEN 'group_removed'
            WHEN (end_reason IS DISTINCT FROM 'left_or_expired') THEN 'unknown'
            WHEN has_failed AND NOT has_left THEN 'member_crash'
            WHEN has_left AND NOT has_failed THEN 'member_leave'
            WHEN date_diff('millisecond', own_at, until_at) < coalesce(2 * session_timeout_ms::BIGINT / 3, 4000)
                THEN 'member_leave'
            ELSE 'member_left_or_crashed'
        END AS cause
    FROM handovers AS h
    LEFT JOIN logged_ends AS l ON l.cluster = h.cluster AND l.group_id = h.group_id AND l.member_id = h.member_id
    LEFT JOIN left_together AS m
        ON
            m.cluster = h.cluster AND m.log_partition = h.log_partition AND m.group_id = h.group_id
            AND m.until_log_offset = h.until_log_offset
)
