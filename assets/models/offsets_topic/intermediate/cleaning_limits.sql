-- Up to where the log cleaner may clean each partition of the offsets topic.
WITH copies AS (
    SELECT
        cluster, partition AS log_partition, broker_id, max(base_offset) AS active_segment,
        max(end_offset) AS log_end_offset, max(read_at) AS read_at, max(first_dirty_offset) AS first_dirty_offset,
        sum(end_position - start_position) AS disk_bytes, sum(record_count) AS disk_records,
        coalesce(max(end_offset) FILTER (record_count < end_offset - from_offset), min(from_offset)) AS whole_from
    FROM offsets_topic_segments
    GROUP BY ALL
),
logs AS (
    SELECT * FROM copies
    QUALIFY row_number() OVER (
        PARTITION BY cluster, log_partition ORDER BY log_end_offset DESC, read_at DESC, broker_id
    ) = 1
),
open_transaction_starts AS (
    SELECT cluster, partition AS log_partition, min(first_offset) AS open_from
    FROM mart.open_transactions WHERE topic = '__consumer_offsets' GROUP BY ALL
)
SELECT
    l.*, o.open_from, least(l.active_segment, o.open_from) AS asked_until,
    max(s.base_offset) AS cleanable_to
FROM logs AS l
LEFT JOIN open_transaction_starts AS o USING (cluster, log_partition)
JOIN offsets_topic_segments AS s
    ON
        s.cluster = l.cluster AND s.partition = l.log_partition AND s.broker_id IS NOT DISTINCT FROM l.broker_id
        AND s.base_offset <= least(l.active_segment, o.open_from)
GROUP BY ALL
