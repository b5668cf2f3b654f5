-- The commits and removals of the keys of which replays may tell, in any order.
SELECT
    k.key::INTEGER AS key, c.effective_log_offset AS position, c.log_offset, c.committed_offset, c.previous_offset,
    epoch_us(c.effective_at) AS effective_us, c.kind, c.cause, c.is_transactional,
    coalesce(c.actor IN ('simple_consumer', 'admin', 'unknown'), FALSE) AS is_outside,
    c.leader_epoch IS NOT NULL AS has_epoch, c.store_kind = 'spark_checkpoint' AS is_batch,
    (c.store_kind = 'zookeeper') AND (c.actor IS DISTINCT FROM 'owner') AS is_by_stranger
FROM core.commits AS c JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
WHERE
    c.log_partition BETWEEN coalesce(getvariable('from_partition'), -2147483648) AND coalesce(
        getvariable('to_partition'), 2147483647
    )
