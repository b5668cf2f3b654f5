-- The commits of a piece that are in its windows, each with the first instant that it stands at; of a key that has
-- carries those from there on.
WITH uses AS MATERIALIZED (
    FROM status_partitions WHERE piece = getvariable('piece')
)
SELECT
    use, greatest(first_step, (epoch_us(effective_at) - first_us + step_us - 1) // step_us) AS step,
    effective_log_offset, log_offset, c.log_partition::BIGINT AS log_partition,
    epoch_us(effective_at) AS committed_at_us, committed_offset
FROM core.commits AS c JOIN uses USING (cluster, group_id, topic, partition)
WHERE
    kind <> 'removed'
    AND if(
        effective_from IS NULL, effective_at IS NOT NULL,
        effective_at >= effective_from OR effective_log_offset >= ten_from_log_offset
    )
    AND c.log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
