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
        bool_or(event = 'member failed') AS has_failed,
        bool_or(event = 'member left') AS has_left
    FROM raw.coordinator_events
    WHERE event IN ('member failed', 'member left') AND member_id IS NOT NULL
    GROUP BY ALL
),
left_together AS (
    SELECT cluster, log_partition, group_id, until_log_offset, TRUE AS is_one_of_many
    FROM handovers WHERE ended = 'left or expired'
    GROUP BY ALL HAVING min(member_id) <> max(member_id)
)
SELECT
    * REPLACE (coalesce(is_one_of_many, FALSE) AS is_one_of_many),
    cause IN ('rebalance', 'member leave', 'group converted') AS was_alive,
    CASE
        WHEN cause IN ('member crash', 'member left or crashed') AND session_timeout_ms IS NOT NULL
            THEN greatest(until_at - to_milliseconds(session_timeout_ms), last.committed_at)
        ELSE until_at
    END AS stopped_at
FROM (
    SELECT
        h.*, m.is_one_of_many,
        CASE
            WHEN ended IN ('revoked', 'renewed') THEN 'rebalance'
            WHEN ended = 'replaced' THEN 'static member replaced'
            WHEN ended = 'converted' THEN 'group converted'
            WHEN ended = 'removed' THEN 'group removed'
            WHEN (ended IS DISTINCT FROM 'left or expired') THEN 'unknown'
            WHEN has_failed AND NOT has_left THEN 'member crash'
            WHEN has_left AND NOT has_failed THEN 'member leave'
            WHEN date_diff('millisecond', own_at, until_at) < coalesce(2 * session_timeout_ms::BIGINT / 3, 4000)
                THEN 'member leave'
            ELSE 'member left or crashed'
        END AS cause
    FROM handovers AS h
    LEFT JOIN logged_ends AS l ON l.cluster = h.cluster AND l.group_id = h.group_id AND l.member_id = h.member_id
    LEFT JOIN left_together AS m
        ON
            m.cluster = h.cluster AND m.log_partition = h.log_partition AND m.group_id = h.group_id
            AND m.until_log_offset = h.until_log_offset
)
