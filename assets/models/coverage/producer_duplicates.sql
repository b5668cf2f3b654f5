-- Batches that a producer's records came in twice, by their headers, and sequences of a producer that a log goes past.
-- A checksum is over all a batch holds but where it stands, and over the producer's own sequence.
WITH batches AS (
    SELECT
        *,
        if(is_log_append_time, NULL, crc) AS seal,
        coalesce(base_sequence >= 0 AND producer_id >= 0, FALSE) AS is_numbered
    FROM raw.batches
    WHERE NOT is_control AND record_count > 0
),
-- The same numbers once more are no second copy where the producer began to count anew: then the records differ.
sequenced_batches AS (
    SELECT cluster, topic, partition, producer_id, producer_epoch, base_sequence, record_count, size_bytes, seal
    FROM batches WHERE is_numbered
    GROUP BY ALL HAVING count(*) > 1
),
sent_twice AS (
    SELECT b.*, 'sent_twice' AS kind, if(b.seal IS NULL, 'likely', 'proven') AS certainty
    FROM batches AS b
    JOIN sequenced_batches AS n
        ON
            b.cluster = n.cluster AND b.topic = n.topic AND b.partition = n.partition
            AND b.producer_id = n.producer_id AND b.producer_epoch IS NOT DISTINCT FROM n.producer_epoch
            AND b.base_sequence = n.base_sequence AND b.record_count = n.record_count AND b.size_bytes = n.size_bytes
            AND b.seal IS NOT DISTINCT FROM n.seal
    WHERE b.is_numbered
),
plain_batches AS (
    SELECT cluster, topic, partition, seal, size_bytes, record_count, base_timestamp_ms, max_timestamp_ms, codec
    FROM batches
    WHERE NOT is_numbered AND seal IS NOT NULL AND base_timestamp_ms >= 0 AND max_timestamp_ms >= 0
    GROUP BY ALL HAVING count(*) > 1
),
same_bytes AS (
    SELECT b.*, 'same_bytes' AS kind, 'likely' AS certainty
    FROM batches AS b
    SEMI JOIN plain_batches
        USING (cluster, topic, partition, seal, size_bytes, record_count, base_timestamp_ms, max_timestamp_ms, codec)
    WHERE NOT b.is_numbered
),
copies AS (
    SELECT
        cluster, kind, topic, partition, first_value(base_offset) OVER alike AS first_from,
        first_value(last_offset) OVER alike + 1 AS first_to, base_offset AS from_offset, last_offset + 1 AS to_offset,
        record_count, size_bytes AS bytes, producer_id, producer_epoch, base_sequence, NULL::INT AS expected_sequence,
        base_timestamp_ms, is_transactional, certainty
    FROM (
        FROM sent_twice
        UNION ALL BY NAME
        FROM same_bytes
    )
    WINDOW alike AS (
        PARTITION BY
            cluster, kind, topic, partition, producer_id, producer_epoch, base_sequence, record_count, size_bytes, seal,
            base_timestamp_ms, max_timestamp_ms
        ORDER BY base_offset
    )
),
-- Batches of a producer before which the log has not the one that ends where they begin to count.
single_batches AS (
    SELECT b.*
    FROM (FROM raw.batches WHERE NOT is_control AND base_sequence > 0 AND producer_id >= 0) AS b
    ANTI JOIN (FROM raw.batches WHERE NOT is_control AND base_sequence >= 0 AND producer_id >= 0) AS a
        ON
            a.cluster = b.cluster AND a.topic = b.topic AND a.partition = b.partition
            AND a.producer_id = b.producer_id AND a.producer_epoch IS NOT DISTINCT FROM b.producer_epoch
            AND ((a.base_sequence + (a.last_offset - a.base_offset) + 1) & 2147483647) = b.base_sequence
),
batch_pairs AS (
    SELECT l.cluster, l.topic, l.partition, l.base_offset, max(a.base_offset) AS before_offset
    FROM single_batches AS l
    JOIN raw.batches AS a USING (cluster, topic, partition, producer_id, producer_epoch)
    WHERE NOT a.is_control AND a.base_sequence >= 0 AND a.base_offset < l.base_offset
    GROUP BY ALL
),
-- Only where the log is there without a hole in between: what the cleaner took, or nobody read, leaves such gaps too.
gap_free_logs AS (
    SELECT f.cluster, f.topic, f.partition, f.base_offset, f.before_offset
    FROM batch_pairs AS f
    JOIN raw.batches AS b
        ON
            b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition
            AND b.base_offset >= f.before_offset AND b.base_offset < f.base_offset
    GROUP BY ALL HAVING sum(b.last_offset - b.base_offset + 1) = f.base_offset - f.before_offset
),
gaps AS (
    SELECT
        w.cluster,
        'sequence_gap' AS kind,
        w.topic,
        w.partition,
        a.base_offset AS first_from,
        a.last_offset + 1 AS first_to,
        l.base_offset AS from_offset,
        l.last_offset + 1 AS to_offset,
        l.record_count,
        l.size_bytes AS bytes,
        l.producer_id,
        l.producer_epoch, l.base_sequence,
        ((a.base_sequence + (a.last_offset - a.base_offset) + 1) & 2147483647)::INT AS expected_sequence,
        l.base_timestamp_ms, l.is_transactional, 'proven' AS certainty
    FROM gap_free_logs AS w
    JOIN single_batches AS l USING (cluster, topic, partition, base_offset)
    JOIN raw.batches AS a
        ON a.cluster = w.cluster AND a.topic = w.topic AND a.partition = w.partition AND a.base_offset = w.before_offset
)
SELECT
    cluster, kind, topic, partition, from_offset, to_offset, first_from, first_to, record_count, bytes, producer_id,
    producer_epoch, base_sequence, expected_sequence,
    if(base_timestamp_ms BETWEEN 0 AND 253402300799999, make_timestamptz(base_timestamp_ms * 1000), NULL)
        AS first_record_at,
    is_transactional, certainty
FROM (
    FROM copies WHERE from_offset > first_from
    UNION ALL BY NAME
    FROM gaps
)
ORDER BY ALL
