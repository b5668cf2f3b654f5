-- From when until when each group was in which state, by its records.
SELECT
    cluster, log_partition, group_id, state, generation, log_offset AS state_log_offset, from_at AS state_at,
    coalesce(is_gap_free, FALSE) AS is_state_whole, coalesce(state IN ('Empty', 'Dead'), FALSE) AS is_memberless,
    lead(log_offset) OVER log AS next_log_offset, lead(from_at) OVER log AS next_at
FROM core.group_states WHERE source IS DISTINCT FROM 'text_log'
WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
