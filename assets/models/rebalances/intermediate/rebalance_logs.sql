-- The lines before the record that a rebalance led to; after a state that only lines tell a new one begins.
SELECT
    cluster, group_id, to_log_offset AS log_offset, min(from_at) AS begun_at, arg_min(reason, (from_at, line)) AS reason
FROM (
    SELECT
        *,
        max(if(state IN ('Stable', 'Empty'), from_at, NULL))
            OVER (PARTITION BY cluster, group_id, to_log_offset)
            AS rested_at
    FROM core.group_states WHERE source = 'text_log' AND to_log_offset IS NOT NULL
)
WHERE state = 'PreparingRebalance' AND coalesce(from_at > rested_at, TRUE)
GROUP BY ALL
