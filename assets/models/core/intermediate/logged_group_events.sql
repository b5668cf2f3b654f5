-- Events of the coordinators' text logs, each with the record before it, and whether it fits that record.
WITH group_records AS (
    SELECT
        *, epoch_us(from_at)::HUGEINT * 17179869184 + coalesce(generation, 0) * 4::BIGINT + 2 AS place,
        lead(log_offset) OVER log AS next_log_offset, lead(generation) OVER log AS next_generation,
        lead(state) OVER log AS next_state,
        lead(group_type) OVER log AS next_group_type,
        lead(from_at) OVER log AS next_at
    FROM internal.recorded_group_states
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
),
firsts AS (
    SELECT
        cluster, group_id, log_partition, log_offset AS next_log_offset, generation AS next_generation,
        state AS next_state, group_type AS next_group_type, from_at AS next_at
    FROM internal.recorded_group_states
    QUALIFY row_number() OVER (PARTITION BY cluster, group_id ORDER BY log_offset) = 1
),
read_to AS (
    SELECT cluster, log_partition, max(from_at) AS read_to FROM internal.recorded_group_states GROUP BY ALL
),
lines AS (
    SELECT
        cluster, group_id, broker_id, line, logged_at, log_partition, event, generation, reason, member_count,
        CASE event WHEN 'rebalance_begins' THEN 3 WHEN 'group_is_dead' THEN 3 WHEN 'members_joined' THEN 0 ELSE 1 END
            AS turn,
        epoch_us(logged_at)::HUGEINT * 17179869184 + coalesce(generation::BIGINT * 4 + turn, 17179869183) AS place
    FROM raw.coordinator_events
    WHERE
        group_id IS NOT NULL AND coalesce(generation BETWEEN 0 AND 2147483647, TRUE)
        AND event IN (
            'rebalance_begins', 'members_joined', 'assignment_received', 'group_is_empty', 'group_is_dead',
            'group_is_loaded', 'group_is_unloaded'
        )
),
logged_events AS (
    SELECT
        l.*, coalesce(r.log_partition, f.log_partition, l.log_partition) AS in_partition, r.log_offset,
        if(r.state = 'Dead', NULL, r.state) AS recorded_state,
        if(r.state = 'Dead', NULL, r.generation) AS recorded_generation,
        if(r.state = 'Dead', NULL, r.group_type) AS recorded_type,
        r.member_count AS recorded_member_count,
        coalesce(r.is_gap_free, FALSE) AS is_gap_free,
        if(r.log_offset IS NULL, f.next_log_offset, r.next_log_offset) AS next_log_offset,
        if(r.log_offset IS NULL, f.next_generation, r.next_generation) AS next_generation,
        if(r.log_offset IS NULL, f.next_state, r.next_state) AS next_state,
        if(r.log_offset IS NULL, f.next_group_type, r.next_group_type) AS next_type,
        if(r.log_offset IS NULL, f.next_at, r.next_at) AS next_at
    FROM lines AS l
    ASOF LEFT JOIN group_records AS r ON l.cluster = r.cluster AND l.group_id = r.group_id AND l.place >= r.place
    LEFT JOIN firsts AS f ON l.cluster = f.cluster AND l.group_id = f.group_id
)
SELECT
    p.*, coalesce(recorded_generation, -1) AS low,
    if(next_log_offset IS NULL OR next_state = 'Dead', 2147483648, coalesce(next_generation, -1)) AS high,
    CASE event
        WHEN 'rebalance_begins' THEN generation >= low AND generation < high
        WHEN 'members_joined' THEN generation > low AND generation <= high
        WHEN 'group_is_dead' THEN coalesce(recorded_state = 'Empty', TRUE) AND generation >= low AND high = 2147483648
        WHEN 'group_is_loaded' THEN recorded_state IS NOT NULL
        WHEN 'group_is_unloaded' THEN recorded_state IS NOT NULL
        ELSE
            generation > low AND generation < high AND NOT is_gap_free
            OR next_log_offset IS NULL AND generation > low AND coalesce(logged_at > t.read_to, TRUE)
    END AS is_fitting
FROM logged_events AS p LEFT JOIN read_to AS t ON t.cluster = p.cluster AND t.log_partition = p.in_partition
WHERE
    coalesce(recorded_type, 'classic') = 'classic' AND coalesce(next_type, 'classic') = 'classic'
    AND coalesce(logged_at <= next_at, TRUE)
