-- The commits of a piece, each with the first instant that it stands at.
WITH uses AS MATERIALIZED (
    FROM status_partitions WHERE piece = getvariable('piece')
)
SELECT
    use, greatest(0, if(step_us = 0, 0, (epoch_us(effective_at) - first_us + step_us - 1) // step_us)) AS step,
    effective_log_offset, log_offset, log_partition::BIGINT AS log_partition, epoch_us(effective_at) AS committed_at_us,
    committed_offset
FROM core.commits AS c JOIN uses USING (cluster, group_id, topic, partition)
WHERE
    effective_at IS NOT NULL AND kind <> 'removed'
    AND c.log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
