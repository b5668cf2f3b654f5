-- The states of groups: what records tell, and in between what only the coordinators' text logs do. A line counts where
-- it stands between two records both by its time and by its generation; so a log in another time zone, or one that a
-- stranger wrote a line into, can't move a record, and a line never says of a time what a record says otherwise. Places
-- order both: by time, and within a millisecond by generation (a rebalance begins after the record of the old one, its
-- members have joined before the record of the new one).
WITH state_events AS (
    SELECT
        cluster, group_id, group_type, log_partition, log_offset, state, generation, assignment_epoch, member_count,
        'record' AS source,
        NULL AS reason,
        NULL::INTEGER AS broker_id,
        NULL::BIGINT AS line,
        from_at,
        to_at,
        to_log_offset,
        is_gap_free, NULL AS event, 0 AS turn
    FROM internal.recorded_group_states
    UNION ALL
    SELECT
        cluster, group_id, 'classic', in_partition, log_offset,
        CASE event
            WHEN 'rebalance_begins' THEN 'PreparingRebalance' WHEN 'members_joined' THEN 'CompletingRebalance'
            WHEN 'assignment_received' THEN 'Stable' WHEN 'group_is_empty' THEN 'Empty' WHEN 'group_is_dead' THEN 'Dead'
            ELSE recorded_state
        END,
        CASE
            WHEN event IN ('group_is_loaded', 'group_is_unloaded') THEN recorded_generation
            WHEN event <> 'group_is_dead' THEN generation
        END,
        NULL,
        CASE event
            WHEN 'group_is_loaded' THEN recorded_member_count WHEN 'group_is_unloaded' THEN recorded_member_count
            WHEN 'group_is_empty' THEN 0 WHEN 'group_is_dead' THEN NULL ELSE member_count
        END,
        'text_log', reason, broker_id, line, logged_at, NULL, next_log_offset, FALSE, event, turn
    FROM logged_group_events WHERE is_fitting
),
-- A coordinator that loads or gives up a group forgets a rebalance: the group is again what its record says.
state_changes AS (
    SELECT
        *, event IS NULL OR event NOT IN ('group_is_loaded', 'group_is_unloaded')
        OR lag(event IN ('rebalance_begins', 'members_joined'), 1, FALSE) OVER log AS is_new_state
    FROM state_events
    WINDOW log AS (
        PARTITION BY cluster, log_partition, group_id
        ORDER BY log_offset NULLS FIRST, line IS NOT NULL, from_at, generation, turn, broker_id, line
    )
)
SELECT
    cluster, group_id, group_type, log_partition, log_offset, state, generation, assignment_epoch, member_count, source,
    reason, broker_id, line, from_at,
    if(state = 'Dead' AND source = 'record', NULL, coalesce(
        lead(if(source = 'record', NULL, from_at)) OVER log, to_at,
        lead(from_at) OVER log
    )) AS to_at,
    to_log_offset, is_gap_free
FROM state_changes WHERE is_new_state
WINDOW
    log AS (
        PARTITION BY cluster, log_partition, group_id
        ORDER BY log_offset NULLS FIRST, line IS NOT NULL, from_at, generation, turn, broker_id, line
    )
ORDER BY
    cluster,
    group_id,
    log_partition,
    log_offset NULLS FIRST,
    line IS NOT NULL,
    from_at,
    generation,
    turn,
    broker_id,
    line
