-- While the log ended at or before `closed_by`, the transaction that began at `first_offset` held the last stable
-- offset.
SELECT cluster, topic, partition, closed_by, min(first_offset) AS first_offset
FROM (
    SELECT
        cluster, topic, partition, first_offset,
        max(marker_offset) OVER (PARTITION BY cluster, topic, partition ORDER BY first_offset) AS closed_by
    FROM (
        SELECT
            cluster, topic, partition, min(base_offset) AS first_offset,
            coalesce(marker_offset, 9223372036854775807) AS marker_offset
        FROM batch_transactions WHERE NOT is_control
        GROUP BY cluster, topic, partition, producer_id, marker_offset
    )
)
GROUP BY ALL
