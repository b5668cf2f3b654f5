-- Of those open at a time the oldest holds up who reads what is committed: from where all older ones had ended.
-- A transaction goes from its producer's first batch behind a marker to the next marker.
WITH transactions AS (
    SELECT cluster, topic, partition, min(base_offset) AS first_offset, marker
    FROM (
        SELECT
            cluster, topic, partition, producer_id, base_offset, is_control,
            coalesce(min(CASE WHEN is_control THEN base_offset END) OVER (
                PARTITION BY cluster, topic, partition, producer_id ORDER BY base_offset
                ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
            ), 9223372036854775807) AS marker
        FROM log_batches() WHERE is_transactional AND lost_to IS NULL
    )
    WHERE NOT is_control
    GROUP BY cluster, topic, partition, producer_id, marker
)
SELECT cluster, topic, partition, greatest(first_offset, coalesce(ended, 0)) AS from_offset, marker, first_offset
FROM (
    SELECT
        *, max(marker) OVER (
            PARTITION BY cluster, topic, partition
            ORDER BY first_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS ended
    FROM transactions
)
WHERE marker > coalesce(ended, 0)
