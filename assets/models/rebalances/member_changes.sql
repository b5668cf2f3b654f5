-- Who joined, left, expired or came back as another member, and in which rebalance. Records don't tell who left from
-- who expired; a line about that very member does.
WITH versions AS (
    SELECT
        cluster, log_partition, group_id, member_id, group_instance_id, client_id, client_host, session_timeout_ms,
        log_offset, to_log_offset, from_at, to_at,
        (lag(to_log_offset) OVER chain IS DISTINCT FROM log_offset) AS is_first,
        (
            lag(list_sort(subscribed_topics)) OVER chain IS DISTINCT FROM list_sort(subscribed_topics)
            OR lag(subscribed_regex) OVER chain IS DISTINCT FROM subscribed_regex
        ) AND subscribed_topics IS NOT NULL
        AND lag(subscribed_topics) OVER chain IS NOT NULL AS is_changed,
        to_log_offset IS NOT NULL AND (lead(log_offset) OVER chain IS DISTINCT FROM to_log_offset) AS is_last
    FROM core.members
    WINDOW chain AS (PARTITION BY cluster, log_partition, group_id, member_id ORDER BY log_offset)
),
events AS (
    SELECT
        cluster, log_partition, group_id, member_id, group_instance_id, client_id, client_host, session_timeout_ms,
        log_offset, from_at AS occurred_at, TRUE AS is_join, FALSE AS is_changed
    FROM versions WHERE is_first
    UNION ALL
    SELECT
        cluster, log_partition, group_id, member_id, group_instance_id, client_id, client_host, session_timeout_ms,
        to_log_offset, to_at, FALSE, FALSE
    FROM versions WHERE is_last
    UNION ALL
    SELECT
        cluster, log_partition, group_id, member_id, group_instance_id, client_id, client_host, session_timeout_ms,
        log_offset, from_at, NULL, TRUE
    FROM versions WHERE is_changed AND NOT is_first
),
rebalance_changes AS (
    SELECT e.*, s.log_offset AS rebalance_log_offset, s.ended_at
    FROM events AS e
    ASOF JOIN (SELECT *, coalesce(to_log_offset, 9223372036854775807) AS up_to FROM internal.rebalance_spans) AS s
        ON
            e.cluster = s.cluster
            AND e.log_partition = s.log_partition
            AND e.group_id = s.group_id
            AND e.log_offset <= s.up_to
    WHERE s.is_before_known AND e.log_offset > coalesce(s.before_log_offset, -1)
    -- Whoever is gone from a record and back in the same rebalance never left: the group changed its kind.
    WINDOW member AS (PARTITION BY e.cluster, e.log_partition, e.group_id, s.log_offset, e.member_id)
    QUALIFY NOT (
        count(is_join) OVER member > 1
        AND first_value(NOT coalesce(is_join, TRUE)) OVER (
            PARTITION BY e.cluster, e.log_partition, e.group_id, s.log_offset, e.member_id
            ORDER BY e.log_offset, is_join NULLS LAST
        )
    )
),
replacements AS (
    SELECT p.*, o.member_id AS other_member_id
    FROM rebalance_changes AS p
    LEFT JOIN rebalance_changes AS o
        ON
            o.cluster = p.cluster AND o.log_partition = p.log_partition AND o.group_id = p.group_id
            AND o.rebalance_log_offset = p.rebalance_log_offset AND o.group_instance_id = p.group_instance_id
            AND o.is_join = (NOT p.is_join)
            AND p.group_instance_id IS NOT NULL AND p.is_join IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY
            p.cluster, p.log_partition, p.group_id, p.rebalance_log_offset, p.member_id, p.is_join, p.log_offset
        ORDER BY o.log_offset, o.member_id
    ) = 1
),
lines AS (
    SELECT
        cluster, group_id, member_id,
        arg_max(event, (logged_at, line)) AS event, arg_max(reason, (logged_at, line)) AS reason,
        max(logged_at) AS logged_at
    FROM raw.coordinator_events
    WHERE event IN ('member_failed', 'member_left') AND member_id IS NOT NULL AND group_id IS NOT NULL
    GROUP BY ALL
)
SELECT
    p.cluster, p.group_id, p.log_partition, p.rebalance_log_offset, p.log_offset, p.member_id,
    CASE
        WHEN other_member_id IS NOT NULL THEN 'replaced'
        WHEN is_join THEN 'joined'
        WHEN is_changed THEN 'resubscribed'
        WHEN l.event = 'member_failed' THEN 'expired'
        WHEN l.event = 'member_left' THEN 'left'
        ELSE 'left_or_expired'
    END AS change,
    other_member_id AS replaced_member_id, p.group_instance_id, p.client_id, p.client_host,
    if(is_join OR is_changed OR other_member_id IS NOT NULL, NULL, p.session_timeout_ms) AS session_timeout_ms,
    p.occurred_at,
    if(is_join OR is_changed OR other_member_id IS NOT NULL, NULL, l.logged_at) AS logged_at,
    if(is_join OR is_changed OR other_member_id IS NOT NULL OR l.event IS NULL, 'record', 'text_log') AS source,
    if(is_join OR is_changed OR other_member_id IS NOT NULL, NULL, l.reason) AS reason
FROM replacements AS p
LEFT JOIN lines AS l
    ON
        l.cluster = p.cluster
        AND l.group_id = p.group_id
        AND l.member_id = p.member_id
        AND NOT coalesce(p.is_join, TRUE)
        AND coalesce(l.logged_at <= coalesce(p.occurred_at, l.logged_at) + INTERVAL 1 SECOND, TRUE)
-- The one that came stands for both of a pair.
WHERE coalesce(is_join, TRUE) OR other_member_id IS NULL
ORDER BY ALL
