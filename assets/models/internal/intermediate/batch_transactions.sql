-- A transaction ends with the next marker of its producer in the same partition; what has none was open to the end.
SELECT
    cluster, topic, partition, base_offset, producer_id, is_control,
    first_value(if(is_control, control_type, NULL) IGNORE NULLS) OVER onwards AS outcome,
    first_value(if(is_control, base_offset, NULL) IGNORE NULLS) OVER onwards AS marker_offset
FROM data_batches
WHERE is_transactional OR is_control
WINDOW onwards AS (
    PARTITION BY cluster, topic, partition, producer_id ORDER BY base_offset
    ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
)
