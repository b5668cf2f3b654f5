-- Rebalances, numbered by the storm that each may belong to.
WITH rebalance_gaps AS (
    SELECT
        *,
        coalesce(epoch_ms(started_at) - epoch_ms(lag(coalesce(ended_at, started_at)) OVER log) > 600000, TRUE)
            AS is_first
    FROM mart.rebalances
    WHERE started_at IS NOT NULL
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
)
SELECT *, count_if(is_first) OVER (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset) AS storm
FROM rebalance_gaps
