-- What each rebalance changed, how long it stopped the group, and what caused it.
WITH spans AS (SELECT *, coalesce(last_log_offset, 9223372036854775807) AS last FROM internal.rebalance_spans),
-- The lines before the record that a rebalance led to; after a state that only lines tell a new one begins.
begins AS (
    SELECT cluster, group_id, to_log_offset AS log_offset, min(from_at) AS begun_at, arg_min(reason, (from_at, line)) AS reason
    FROM (
        SELECT *, max(if(state IN ('Stable', 'Empty'), from_at, NULL)) OVER (PARTITION BY cluster, group_id, to_log_offset) AS rested_at
        FROM core.group_states WHERE source = 'server.log' AND to_log_offset IS NOT NULL
    )
    WHERE state = 'PreparingRebalance' AND coalesce(from_at > rested_at, TRUE)
    GROUP BY ALL
),
changes AS (
    SELECT c.cluster, c.log_partition, c.group_id, rebalance_log_offset AS log_offset,
           coalesce(list(member_id ORDER BY member_id) FILTER (change = 'joined'), []) AS joined,
           coalesce(list(member_id ORDER BY member_id) FILTER (change IN ('left', 'expired', 'left_or_expired')), []) AS gone,
           coalesce(list(member_id ORDER BY member_id) FILTER (change = 'replaced'), []) AS replaced,
           list_sort(list(DISTINCT change) FILTER (c.log_offset <= s.log_offset)) AS first_changes,
           count_if(change = 'resubscribed') AS resubscribed,
           coalesce(bool_or(c.source = 'server.log') FILTER (c.log_offset <= s.log_offset), FALSE) AS is_logged,
           any_value(c.reason) FILTER (c.log_offset <= s.log_offset) AS member_reason
    FROM mart.member_changes AS c
    JOIN spans AS s
        ON s.cluster = c.cluster AND s.log_partition = c.log_partition AND s.group_id = c.group_id
            AND s.log_offset = c.rebalance_log_offset
    GROUP BY ALL
),
moves AS (
    SELECT cluster, log_partition, group_id, rebalance_log_offset AS log_offset, count_if(kind = 'moved') AS moved,
           count_if(kind = 'gained') AS taken_up, count_if(kind = 'lost') AS lost,
           count(*) FILTER (kind IN ('moved', 'kept')) AS handed, count(pause_ms) FILTER (kind IN ('moved', 'kept')) AS known,
           count(*) FILTER (kind IN ('moved', 'kept') AND coalesce(pause_ms, pause_lower_ms, 1) > 0) AS paused,
           max(pause_ms) FILTER (kind IN ('moved', 'kept')) AS pause_ms, sum(pause_ms) FILTER (kind IN ('moved', 'kept')) AS pause_total_ms,
           max(pause_lower_ms) FILTER (kind IN ('moved', 'kept')) AS pause_lower_ms
    FROM mart.partition_moves
    GROUP BY ALL
),
owned AS (
    SELECT cluster, log_partition, group_id, log_offset, sum(sum(change)) OVER (
               PARTITION BY cluster, log_partition, group_id ORDER BY log_offset
           ) AS owned
    FROM (
        SELECT cluster, log_partition, group_id, log_offset, 1 AS change FROM core.ownership
        UNION ALL
        SELECT cluster, log_partition, group_id, until_log_offset, -1 FROM core.ownership WHERE until_log_offset IS NOT NULL
    )
    GROUP BY cluster, log_partition, group_id, log_offset
),
unreadable AS (
    SELECT DISTINCT cluster, log_partition, group_id, log_offset AS unread_log_offset FROM core.members WHERE assigned IS NULL AND group_type <> 'share'
),
joined AS (
    SELECT s.*, b.begun_at, b.reason,
           if(is_before_known, coalesce(c.joined, []), NULL) AS joined, if(is_before_known, coalesce(c.gone, []), NULL) AS gone,
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
           split_part(b.reason, '; client reason: ', 1) AS said_coordinator,
           if(contains(b.reason, '; client reason: '), b.reason[position('; client reason: ' IN b.reason) + 17:], '') AS said_client
    FROM spans AS s
    LEFT JOIN begins AS b ON b.cluster = s.cluster AND b.group_id = s.group_id AND b.log_offset = s.log_offset
    LEFT JOIN changes AS c
        ON c.cluster = s.cluster AND c.log_partition = s.log_partition AND c.group_id = s.group_id
            AND c.log_offset = s.log_offset
    LEFT JOIN moves AS m
        ON m.cluster = s.cluster AND m.log_partition = s.log_partition AND m.group_id = s.group_id
            AND m.log_offset = s.log_offset
    ASOF LEFT JOIN owned AS o
        ON o.cluster = s.cluster AND o.log_partition = s.log_partition AND o.group_id = s.group_id
        AND coalesce(s.before_log_offset, -1) >= o.log_offset
    ASOF LEFT JOIN unreadable AS u
        ON u.cluster = s.cluster AND u.log_partition = s.log_partition AND u.group_id = s.group_id AND s.last >= u.unread_log_offset
),
logged AS (
    SELECT *,
           CASE
               WHEN members_before > 0 AND regexp_matches(said_client, 'NotCoordinator|CoordinatorLoadInProgress')
                    OR said_coordinator ILIKE 'error when storing group assignment%' THEN 'coordinator_failover'
               WHEN said_coordinator ILIKE 'adding new member %' THEN 'join'
               WHEN regexp_matches(said_coordinator, '^removing .* on (heartbeat|pending sync request) expiration', 'i') THEN 'expired'
               WHEN said_coordinator ILIKE '%LeaveGroup%' THEN 'leave'
               WHEN said_coordinator ILIKE '%protocol will change%' OR said_coordinator ILIKE '%change of protocol%'
                    OR said_coordinator ILIKE 'downgrade group %' THEN 'protocol_change'
               WHEN said_client LIKE 'cached metadata has changed%' THEN 'partitions_added'
               WHEN said_client LIKE '%subscription has changed%' THEN 'subscription_change'
               WHEN said_coordinator ILIKE 'leader % re-joining group%' THEN 'leader_rejoin'
               WHEN said_coordinator ILIKE 'updating metadata for member %' THEN 'subscription_change'
           END AS logged_trigger,
           CASE
               WHEN NOT is_before_known THEN NULL
               WHEN first_changes = ['replaced'] THEN 'static_replacement'
               WHEN group_type <> group_type_before OR protocol <> protocol_before AND len(first_changes) = 0 THEN 'protocol_change'
               WHEN first_changes = ['joined'] THEN 'join'
               WHEN first_changes = ['left'] THEN 'leave'
               WHEN first_changes = ['expired'] THEN 'expired'
               WHEN first_changes = ['left_or_expired']
                   THEN 'left_or_expired'
               WHEN first_changes = ['resubscribed'] THEN 'subscription_change'
               WHEN len(first_changes) > 0 THEN 'members_changed'
               WHEN taken_up > 0 AND lost = 0 AND owned_before > 0 THEN 'partitions_added'
               WHEN is_new_coordinator THEN 'coordinator_failover'
           END AS recorded_trigger
    FROM joined
),
-- A line is believed where records don't say otherwise.
told AS (
    SELECT *, coalesce(logged_trigger, recorded_trigger) AS trigger,
           CASE logged_trigger
               WHEN 'join' THEN len(joined) > 0 OR len(replaced) > 0 WHEN 'partitions_added' THEN taken_up > 0
               WHEN 'subscription_change' THEN resubscribed > 0 WHEN 'protocol_change' THEN recorded_trigger = 'protocol_change'
               WHEN 'coordinator_failover' THEN is_new_coordinator ELSE FALSE
           END AS is_confirmed,
           coalesce(begun_at, if(group_type = 'classic', joined_at, from_at), from_at) AS started_at,
           owned_before - moved - lost AS kept
    FROM logged
)
SELECT cluster, group_id, group_type, log_partition, log_offset, last_log_offset,
       started_at, if(begun_at IS NULL, 'record', 'server.log') AS started_source, joined_at, ended_at,
       CASE WHEN ended_at >= started_at THEN epoch_ms(ended_at) - epoch_ms(started_at) END AS duration_ms,
       generation_before, generation_after, generations, state_after, protocol,
       if(is_before_known, coalesce(members_before, 0), NULL)::INTEGER AS members_before, members_after,
       joined AS members_joined, gone AS members_left, replaced AS members_replaced,
       if(is_comparable, moved, NULL)::INTEGER AS partitions_moved, if(is_comparable, kept, NULL)::INTEGER AS partitions_kept,
       if(is_comparable, taken_up, NULL)::INTEGER AS partitions_gained, if(is_comparable, lost, NULL)::INTEGER AS partitions_lost,
       stops_all,
       CASE WHEN NOT is_comparable OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
            WHEN stops_all THEN kept + moved ELSE paused END::INTEGER AS partitions_paused,
       CASE WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
            WHEN stops_all AND kept + moved > 0
                THEN if(begun_at IS NULL OR begun_at > ended_at, NULL, greatest(epoch_ms(ended_at) - epoch_ms(begun_at), moved_pause_ms))
            WHEN handed = 0 THEN 0 ELSE moved_pause_ms END AS pause_ms,
       CASE WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
            WHEN stops_all AND kept > 0
                THEN if(joined_at > ended_at, NULL, greatest(epoch_ms(ended_at) - epoch_ms(joined_at), moved_least_ms))
            WHEN handed = 0 THEN 0 ELSE moved_least_ms END AS pause_lower_ms,
       CASE WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
            WHEN stops_all AND kept + moved > 0
                THEN if(begun_at IS NULL OR begun_at > ended_at OR handed > 0 AND moved_total_ms IS NULL, NULL,
                        (kept + moved - handed) * (epoch_ms(ended_at) - epoch_ms(begun_at)) + coalesce(moved_total_ms, 0))
            WHEN handed = 0 THEN 0 ELSE moved_total_ms END::BIGINT AS pause_total_ms,
       coalesce(trigger, 'unknown') AS trigger,
       CASE WHEN trigger IS NULL THEN NULL
            WHEN logged_trigger IS NOT NULL OR is_logged AND trigger IN ('leave', 'expired') THEN 'server.log' ELSE 'record' END
           AS trigger_source,
       CASE WHEN trigger IS NULL THEN NULL
            WHEN logged_trigger IS NOT NULL THEN if(coalesce(is_confirmed, FALSE), 'proven', 'likely')
            WHEN trigger IN ('leave', 'expired') THEN 'likely'
            WHEN group_type <> 'classic' OR trigger = 'static_replacement' THEN 'proven' ELSE 'likely' END AS certainty,
       coalesce(reason, member_reason) AS reason
FROM told
ORDER BY ALL
