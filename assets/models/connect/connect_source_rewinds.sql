-- Where source offsets went back or were removed, with what the connector stored next.
SELECT
    cluster, offsets_topic, log_partition, log_offset, connector, source_partition, kind, stored_at AS occurred_at,
    previous_source_offset AS from_source_offset, source_offset AS to_source_offset, next_source_offset, next_at
FROM (
    SELECT
        *, lead(source_offset) OVER parts AS next_source_offset, lead(stored_at) OVER parts AS next_at
    FROM core.connect_source_offsets
    WINDOW parts AS (
        PARTITION BY cluster, offsets_topic, connector, source_partition ORDER BY log_partition, log_offset
    )
)
WHERE kind = 'rewind' OR kind = 'removed' AND previous_source_offset IS NOT NULL
ORDER BY cluster, offsets_topic, log_partition, log_offset
