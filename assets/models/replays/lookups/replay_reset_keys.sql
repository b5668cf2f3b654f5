-- The keys that were set back, or set anew after a removal, and their groups, by numbers.
SELECT
    key, k.cluster, k.log_partition, k.group_id, k.topic, k.partition,
    dense_rank() OVER (ORDER BY k.cluster, k.log_partition, k.group_id) - 1 AS grp
FROM replay_keys AS k
SEMI JOIN (
    SELECT cluster, log_partition, group_id, topic, partition
    FROM core.commits
    WHERE
        kind IN ('rewind', 'removed', 'first')
        AND log_partition BETWEEN coalesce(getvariable('from_partition'), -2147483648) AND coalesce(
            getvariable('to_partition'), 2147483647
        )
    GROUP BY ALL
    HAVING
        bool_or(kind = 'rewind')
        OR min(effective_log_offset) FILTER (kind = 'removed') < max(effective_log_offset) FILTER (kind = 'first')
)
    USING (cluster, log_partition, group_id, topic, partition)
ORDER BY key
