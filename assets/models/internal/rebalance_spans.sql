-- Which records of a group are one rebalance. A group that is not classic says itself when it is at rest again: all
-- from one rest to the next is one. A classic group writes once per generation; the next one continues a rebalance if
-- it gives out a partition that the one before took from a member who stayed (a cooperative hand-over), no later than
-- members may take to rejoin. Of groups in ZooKeeper nothing tells where a rebalance ends.
WITH states AS (
    SELECT
        s.*, g.protocol, g.state_at, lag(g.protocol) OVER log AS protocol_before,
        g.log_leader_epoch <> lag(g.log_leader_epoch) OVER log AS is_new_coordinator,
        lag(s.state) OVER log AS state_before,
        lag(s.generation) OVER log AS generation_before,
        lag(s.log_offset) OVER log AS before_log_offset,
        lag(s.member_count) OVER log AS count_before, lag(s.group_type) OVER log AS type_before,
        lag(s.from_at) OVER log AS stood_since, lag(s.is_gap_free) OVER log AS is_before_whole,
        s.state IN ('Stable', 'Empty') AS is_rest
    FROM internal.recorded_group_states AS s
    LEFT JOIN core.generations AS g USING (cluster, log_partition, log_offset)
    WHERE s.group_type <> 'zookeeper'
    WINDOW log AS (PARTITION BY s.cluster, s.log_partition, s.group_id ORDER BY s.log_offset)
),
span_begins AS (
    SELECT DISTINCT cluster, log_partition, group_id, s.log_offset
    FROM
        (SELECT DISTINCT cluster, log_partition, group_id, log_offset FROM core.ownership WHERE group_type <> 'classic'
        ) AS o
    ASOF JOIN (SELECT cluster, log_partition, group_id, log_offset FROM internal.recorded_group_states) AS s
        USING (cluster, log_partition, group_id, log_offset)
),
steps AS (
    SELECT
        s.*,
        CASE
            WHEN (type_before IS DISTINCT FROM s.group_type) OR state_before = 'Dead' THEN FALSE
            WHEN s.group_type = 'classic'
                THEN coalesce(p.timeout_ms >= epoch_ms(s.from_at) - epoch_ms(s.stood_since), FALSE)
            WHEN state_before IS NULL OR s.state IS NULL THEN s.generation = generation_before
            ELSE state_before IN ('Assigning', 'Reconciling')
        END AS is_continued,
        CASE
            WHEN s.state = 'Dead' THEN FALSE
            WHEN before_log_offset IS NULL THEN s.generation > 0 OR (s.state IS DISTINCT FROM 'Empty')
            WHEN s.group_type = 'classic' THEN s.generation > 0 OR s.state <> 'Empty'
            ELSE
                s.state IS NULL OR NOT is_rest OR (s.generation IS DISTINCT FROM generation_before)
                OR b.log_offset IS NOT NULL
        END AS is_change,
        coalesce(is_before_whole, FALSE) OR coalesce(state_before = 'Dead', FALSE)
        OR CASE
            WHEN s.group_type = 'classic' THEN before_log_offset IS NULL AND coalesce(s.generation <= 1, FALSE)
            ELSE s.state IS NOT NULL
        END AS is_before_known
    FROM states AS s
    LEFT JOIN handover_timeouts AS p USING (cluster, log_partition, group_id, log_offset, before_log_offset)
    LEFT JOIN span_begins
        AS b ON b.cluster = s.cluster AND b.log_partition = s.log_partition AND b.group_id = s.group_id
    AND b.log_offset = s.log_offset
),
spans AS (
    SELECT
        *, count_if(NOT coalesce(is_continued, FALSE)) OVER (
            PARTITION BY cluster, log_partition, group_id ORDER BY log_offset
        ) AS span
    FROM steps
),
span_rows AS (
    SELECT
        cluster, group_id, arg_min(group_type, log_offset) AS group_type, log_partition, min(log_offset) AS log_offset,
        max(log_offset) AS last_log_offset, arg_min_null(before_log_offset, log_offset) AS before_log_offset,
        coalesce(arg_max(is_rest, log_offset), FALSE) AS is_over,
        arg_min(from_at, log_offset) AS from_at, arg_max(from_at, log_offset) AS last_at,
        arg_min(if(generation = generation_before, NULL, state_at), log_offset) AS joined_at,
        if(arg_min(coalesce(state_before, ''), log_offset) = 'Dead', NULL, arg_min_null(generation_before, log_offset))
            AS generation_before,
        arg_max(generation, log_offset) AS generation_after,
        count(DISTINCT generation) AS generations,
        arg_min_null(state_before, log_offset) AS state_before, arg_max(state, log_offset) AS state_after,
        arg_max(protocol, log_offset) AS protocol, arg_min_null(protocol_before, log_offset) AS protocol_before,
        if(arg_min(coalesce(state_before, 'Dead'), log_offset) = 'Dead', NULL, arg_min_null(type_before, log_offset))
            AS group_type_before,
        coalesce(bool_or(is_new_coordinator), FALSE) AS is_new_coordinator,
        arg_max(member_count, log_offset) AS members_after,
        arg_min_null(count_before, log_offset) AS members_before,
        bool_and(is_before_known) AS is_before_known
    FROM spans
    GROUP BY cluster, group_id, log_partition, span
    HAVING bool_or(is_change)
)
SELECT
    cluster, group_id, group_type, log_partition, log_offset, last_log_offset, before_log_offset,
    if(is_over, last_log_offset, lead(log_offset) OVER log - 1) AS to_log_offset,
    from_at,
    joined_at,
    if(is_over, last_at, NULL) AS ended_at,
    generation_before,
    generation_after,
    generations::INTEGER AS generations,
    state_before, state_after, group_type_before, protocol_before, protocol, members_before, members_after,
    is_new_coordinator, is_before_known
FROM span_rows
WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
ORDER BY ALL
