-- What is known of each rebalance: its reason by the text log, its changes of members, its moves.
WITH spans AS (SELECT *, coalesce(last_log_offset, 9223372036854775807) AS last FROM internal.rebalance_spans),
owned_counts AS (
    SELECT
        cluster, log_partition, group_id, log_offset, sum(sum(change)) OVER (
            PARTITION BY cluster, log_partition, group_id ORDER BY log_offset
        ) AS owned
    FROM (
        SELECT cluster, log_partition, group_id, log_offset, 1 AS change FROM core.ownership
        UNION ALL
        SELECT cluster, log_partition, group_id, until_log_offset, -1
        FROM core.ownership
        WHERE until_log_offset IS NOT NULL
    )
    GROUP BY cluster, log_partition, group_id, log_offset
),
unreadable_assignments AS (
    SELECT DISTINCT cluster, log_partition, group_id, log_offset AS unread_log_offset
    FROM core.members
    WHERE assigned IS NULL AND group_type <> 'share'
)
SELECT
    s.*, b.begun_at, b.reason,
    if(is_before_known, coalesce(c.joined, []), NULL) AS joined,
    if(is_before_known, coalesce(c.gone, []), NULL) AS gone,
    if(is_before_known, coalesce(c.replaced, []), NULL) AS replaced, coalesce(c.first_changes, []) AS first_changes,
    coalesce(c.resubscribed, 0) AS resubscribed, c.member_reason, coalesce(c.is_logged, FALSE) AS is_logged,
    coalesce(m.moved, 0) AS moved, coalesce(m.taken_up, 0) AS taken_up, coalesce(m.lost, 0) AS lost,
    coalesce(m.handed, 0) AS handed, coalesce(m.paused, 0) AS paused,
    if(m.known = m.handed, m.pause_ms, NULL) AS moved_pause_ms,
    if(m.known = m.handed, m.pause_total_ms, NULL) AS moved_total_ms,
    m.pause_lower_ms AS moved_least_ms,
    s.group_type <> 'share' AND is_before_known
    AND NOT coalesce(u.unread_log_offset >= coalesce(s.before_log_offset, s.log_offset), FALSE) AS is_comparable,
    coalesce(o.owned, 0) AS owned_before,
    CASE
        WHEN s.state_after = 'Empty' THEN NULL
        WHEN s.group_type <> 'classic' OR s.generation_before = s.generation_after THEN FALSE
        WHEN s.protocol IN ('range', 'roundrobin', 'sticky') THEN TRUE
        WHEN s.protocol = 'cooperative-sticky' THEN FALSE
    END AS stops_all,
    split_part(b.reason, '; client reason: ', 1) AS coordinator_reason,
    if(contains(b.reason, '; client reason: '), b.reason[position('; client reason: ' IN b.reason) + 17:], '')
        AS client_reason
FROM spans AS s
LEFT JOIN rebalance_logs AS b ON b.cluster = s.cluster AND b.group_id = s.group_id AND b.log_offset = s.log_offset
LEFT JOIN rebalance_member_changes AS c
    ON
        c.cluster = s.cluster AND c.log_partition = s.log_partition AND c.group_id = s.group_id
        AND c.log_offset = s.log_offset
LEFT JOIN rebalance_move_counts AS m
    ON
        m.cluster = s.cluster AND m.log_partition = s.log_partition AND m.group_id = s.group_id
        AND m.log_offset = s.log_offset
ASOF LEFT JOIN owned_counts AS o
    ON
        o.cluster = s.cluster AND o.log_partition = s.log_partition AND o.group_id = s.group_id
        AND coalesce(s.before_log_offset, -1) >= o.log_offset
ASOF LEFT JOIN unreadable_assignments AS u
    ON
        u.cluster = s.cluster
        AND u.log_partition = s.log_partition
        AND u.group_id = s.group_id
        AND s.last >= u.unread_log_offset
