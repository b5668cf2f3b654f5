-- Copies of a log that differ.
WITH copies AS (
    SELECT
        d.cluster,
        d.topic,
        d.partition,
        d.broker_id,
        d.path,
        d.base_offset AS from_offset,
        d.last_offset + 1 AS to_offset,
        b.leader_epoch AS archived_epoch, d.leader_epoch AS other_epoch, d.read_at
    FROM raw.diverged_batches AS d
    LEFT JOIN raw.batches AS b
        ON
            b.cluster = d.cluster AND b.topic = d.topic AND b.partition = d.partition
            AND b.base_offset <= d.base_offset AND b.last_offset >= d.base_offset
    UNION ALL
    SELECT
        d.cluster, '__consumer_offsets', d.log_partition, d.broker_id, d.path, d.log_offset, d.log_offset + 1,
        r.log_leader_epoch, d.log_leader_epoch, d.read_at
    FROM raw.diverged_records AS d
    LEFT JOIN raw.offset_records AS r USING (cluster, log_partition, log_offset)
)
SELECT
    c.cluster, CASE
        WHEN o.cluster IS NOT NULL THEN 'two_installations'
        WHEN archived_epoch <> other_epoch THEN 'truncated_records' ELSE 'copies_differ'
    END AS kind,
    topic, partition, broker_id, path, min(from_offset) AS from_offset, max(to_offset) AS to_offset,
    min(archived_epoch) AS archived_epoch, min(other_epoch) AS other_epoch, count(DISTINCT from_offset) AS occurrences,
    min(c.read_at) AS first_at, coalesce(o.certainty, 'proven') AS certainty
FROM copies AS c
LEFT JOIN _other_installations() AS o
    ON o.cluster = c.cluster AND o.log_directory = regexp_replace(c.path, '/[^/]+/[^/]+$', '')
GROUP BY ALL
