-- The states of groups: what records tell, and in between what only the coordinators' text logs do. A line counts where
-- it stands between two records both by its time and by its generation; so a log in another time zone, or one that a
-- stranger wrote a line into, can't move a record, and a line never says of a time what a record says otherwise.
-- Places order both: by time, and within a millisecond by generation (a rebalance begins after the record of the old one,
-- its members have joined before the record of the new one).
WITH recorded AS (
    SELECT *, epoch_us(from_at)::HUGEINT * 17179869184 + coalesce(generation, 0) * 4::BIGINT + 2 AS place,
           lead(log_offset) OVER log AS next_log_offset, lead(generation) OVER log AS next_generation,
           lead(state) OVER log AS next_state, lead(group_type) OVER log AS next_group_type, lead(from_at) OVER log AS next_at
    FROM internal.recorded_group_states
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
),
firsts AS (
    SELECT cluster, group_id, log_partition, log_offset AS next_log_offset, generation AS next_generation,
           state AS next_state, group_type AS next_group_type, from_at AS next_at
    FROM internal.recorded_group_states
    QUALIFY row_number() OVER (PARTITION BY cluster, group_id ORDER BY log_offset) = 1
),
read_to AS (SELECT cluster, log_partition, max(from_at) AS read_to FROM internal.recorded_group_states GROUP BY ALL),
lines AS (
    SELECT cluster, group_id, broker_id, line, logged_at, log_partition, event, generation, reason, member_count,
           CASE event WHEN 'rebalance_begins' THEN 3 WHEN 'group_is_dead' THEN 3 WHEN 'members_joined' THEN 0 ELSE 1 END
               AS turn,
           epoch_us(logged_at)::HUGEINT * 17179869184 + coalesce(generation::BIGINT * 4 + turn, 17179869183) AS place
    FROM raw.coordinator_events
    WHERE group_id IS NOT NULL AND coalesce(generation BETWEEN 0 AND 2147483647, TRUE)
      AND event IN ('rebalance_begins', 'members_joined', 'assignment_received', 'group_is_empty', 'group_is_dead',
                    'group_is_loaded', 'group_is_unloaded')
),
placed AS (
    SELECT l.*, coalesce(r.log_partition, f.log_partition, l.log_partition) AS in_partition, r.log_offset,
           if(r.state = 'Dead', NULL, r.state) AS stood, if(r.state = 'Dead', NULL, r.generation) AS stood_generation,
           if(r.state = 'Dead', NULL, r.group_type) AS stood_type, r.member_count AS stood_count,
           coalesce(r.is_gap_free, FALSE) AS is_gap_free,
           if(r.log_offset IS NULL, f.next_log_offset, r.next_log_offset) AS next_log_offset,
           if(r.log_offset IS NULL, f.next_generation, r.next_generation) AS next_generation,
           if(r.log_offset IS NULL, f.next_state, r.next_state) AS next_state,
           if(r.log_offset IS NULL, f.next_group_type, r.next_group_type) AS next_type,
           if(r.log_offset IS NULL, f.next_at, r.next_at) AS next_at
    FROM lines AS l
    ASOF LEFT JOIN recorded AS r ON l.cluster = r.cluster AND l.group_id = r.group_id AND l.place >= r.place
    LEFT JOIN firsts AS f ON l.cluster = f.cluster AND l.group_id = f.group_id
),
-- The next record is written at the end of what the lines before it tell, so it has a higher generation, or removes the group.
fitting AS (
    SELECT p.*, coalesce(stood_generation, -1) AS low,
           if(next_log_offset IS NULL OR next_state = 'Dead', 2147483648, coalesce(next_generation, -1)) AS high,
           CASE event
               WHEN 'rebalance_begins' THEN generation >= low AND generation < high
               WHEN 'members_joined' THEN generation > low AND generation <= high
               WHEN 'group_is_dead' THEN coalesce(stood = 'Empty', TRUE) AND generation >= low AND high = 2147483648
               WHEN 'group_is_loaded' THEN stood IS NOT NULL
               WHEN 'group_is_unloaded' THEN stood IS NOT NULL
               ELSE generation > low AND generation < high AND NOT is_gap_free
                    OR next_log_offset IS NULL AND generation > low AND coalesce(logged_at > t.read_to, TRUE)
           END AS is_fitting
    FROM placed AS p LEFT JOIN read_to AS t ON t.cluster = p.cluster AND t.log_partition = p.in_partition
    WHERE coalesce(stood_type, 'classic') = 'classic' AND coalesce(next_type, 'classic') = 'classic'
      AND coalesce(logged_at <= next_at, TRUE)
),
merged AS (
    SELECT cluster, group_id, group_type, log_partition, log_offset, state, generation, assignment_epoch, member_count,
           'record' AS source, NULL AS reason, NULL::INTEGER AS broker_id, NULL::BIGINT AS line, from_at, to_at, to_log_offset,
           is_gap_free, NULL AS event, 0 AS turn
    FROM internal.recorded_group_states
    UNION ALL
    SELECT cluster, group_id, 'classic', in_partition, log_offset,
           CASE event
               WHEN 'rebalance_begins' THEN 'PreparingRebalance' WHEN 'members_joined' THEN 'CompletingRebalance'
               WHEN 'assignment_received' THEN 'Stable' WHEN 'group_is_empty' THEN 'Empty' WHEN 'group_is_dead' THEN 'Dead'
               ELSE stood
           END,
           CASE WHEN event IN ('group_is_loaded', 'group_is_unloaded') THEN stood_generation
                WHEN event <> 'group_is_dead' THEN generation END,
           NULL,
           CASE event WHEN 'group_is_loaded' THEN stood_count WHEN 'group_is_unloaded' THEN stood_count
                      WHEN 'group_is_empty' THEN 0 WHEN 'group_is_dead' THEN NULL ELSE member_count END,
           'server.log', reason, broker_id, line, logged_at, NULL, next_log_offset, FALSE, event, turn
    FROM fitting WHERE is_fitting
),
-- A coordinator that loads or gives up a group forgets a rebalance: the group is again what its record says.
told AS (
    SELECT *, event IS NULL OR event NOT IN ('group_is_loaded', 'group_is_unloaded')
              OR lag(event IN ('rebalance_begins', 'members_joined'), 1, FALSE) OVER log AS is_new_log_end
    FROM merged
    WINDOW log AS (
        PARTITION BY cluster, log_partition, group_id
        ORDER BY log_offset NULLS FIRST, line IS NOT NULL, from_at, generation, turn, broker_id, line
    )
)
SELECT cluster, group_id, group_type, log_partition, log_offset, state, generation, assignment_epoch, member_count, source,
       reason, broker_id, line, from_at,
       if(state = 'Dead' AND source = 'record', NULL, coalesce(lead(if(source = 'record', NULL, from_at)) OVER log, to_at,
          lead(from_at) OVER log)) AS to_at,
       to_log_offset, is_gap_free
FROM told WHERE is_new_log_end
WINDOW log AS (
    PARTITION BY cluster, log_partition, group_id
    ORDER BY log_offset NULLS FIRST, line IS NOT NULL, from_at, generation, turn, broker_id, line
)
ORDER BY cluster, group_id, log_partition, log_offset NULLS FIRST, line IS NOT NULL, from_at, generation, turn, broker_id, line
