-- The instants that lag is asked for in a piece: every commit when it took effect, and every store that
-- internal.offset_snapshots has; of each partition from the instant on from which it is to be worked out.
WITH uses AS MATERIALIZED (
    FROM lag_partitions WHERE piece = getvariable('piece')
)
SELECT
    0::INTEGER AS kind, epoch_us(effective_at) AS as_of, group_id, use, c.log_partition, log_offset,
    committed_offset AS current_offset
FROM core.commits AS c JOIN uses AS u USING (log_partition, cluster, topic, partition)
WHERE
    kind <> 'removed' AND effective_at >= getvariable('from_at') AND (effective_at < u.from_at) IS NOT TRUE
    AND c.log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
UNION ALL
SELECT 1::INTEGER AS kind, epoch_us(taken_at), group_id, use, s.log_partition, log_offset, committed_offset
FROM internal.offset_snapshots AS s JOIN uses AS u USING (log_partition, cluster, topic, partition)
WHERE
    kind <> 'removed' AND is_known AND taken_at >= getvariable('from_at') AND (taken_at < u.from_at) IS NOT TRUE
    AND s.log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
