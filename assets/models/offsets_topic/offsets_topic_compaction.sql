-- What the cleaner could take out of each partition of the offsets topic now, and whether it does. What stands on disk
-- is told by the newest read of each file; what it would keep by core.record_compaction, below the segment that it may
-- not touch.
WITH cleanable_segments AS (
    SELECT
        l.cluster, l.log_partition, sum(s.end_position - s.start_position) AS cleanable_bytes,
        sum(s.record_count) AS cleanable_records
    FROM cleaning_limits AS l
    JOIN offsets_topic_segments AS s
        ON
            s.cluster = l.cluster AND s.partition = l.log_partition AND s.broker_id IS NOT DISTINCT FROM l.broker_id
            AND s.base_offset < l.cleanable_to
    GROUP BY ALL
),
log_times AS (
    SELECT cluster, log_partition, max(timestamp_ms) AS newest_ms FROM raw.offset_records GROUP BY ALL
),
record_counts AS (
    SELECT
        c.cluster, c.log_partition, count_if(c.status = 'current') AS live_keys,
        count_if(c.status = 'tombstone') AS dead_keys,
        count_if(c.status = 'tombstone' AND c.delete_horizon_at <= _instant_of(t.newest_ms)) AS overdue_tombstones,
        count_if(
            c.log_offset < l.cleanable_to AND (c.is_retained OR c.superseded_by_log_offset >= l.cleanable_to)
        ) AS retained_records,
        min(c.log_offset) FILTER (
            c.log_offset >= l.whole_from AND c.log_offset < l.cleanable_to
            AND (NOT c.is_retained AND coalesce(c.superseded_by_log_offset < l.cleanable_to, TRUE))
        ) AS waiting_from,
        any_value(t.newest_ms) AS newest_ms
    FROM core.record_compaction AS c
    LEFT JOIN cleaning_limits AS l USING (cluster, log_partition)
    LEFT JOIN log_times AS t USING (cluster, log_partition)
    GROUP BY ALL
),
key_counts AS (
    SELECT c.*, nullif(r.timestamp_ms, -1) AS waiting_since_ms
    FROM record_counts AS c
    LEFT JOIN raw.offset_records AS r
        ON r.cluster = c.cluster AND r.log_partition = c.log_partition AND r.log_offset = c.waiting_from
),
cleaning_measures AS (
    SELECT
        l.cluster, l.log_partition, l.log_end_offset, l.disk_bytes, l.disk_records, c.live_keys, c.dead_keys,
        c.overdue_tombstones,
        l.cleanable_to, l.open_from < l.active_segment AS is_held_by_transaction, l.first_dirty_offset,
        coalesce(k.cleanable_records, 0) AS cleanable_records, coalesce(k.cleanable_bytes, 0) AS cleanable_bytes,
        greatest(coalesce(k.cleanable_records, 0) - c.retained_records, 0) AS removable_records,
        removable_records / nullif(k.cleanable_records, 0) AS removable_share,
        c.waiting_from,
        c.waiting_since_ms,
        c.newest_ms
    FROM cleaning_limits AS l
    LEFT JOIN cleanable_segments AS k USING (cluster, log_partition)
    JOIN key_counts AS c USING (cluster, log_partition)
)
SELECT
    cluster, log_partition,
    CASE
        WHEN cleanable_records = 0 THEN 'nothing_to_clean'
        WHEN removable_share <= 0.5 THEN 'keeps_up'
        WHEN newest_ms - waiting_since_ms > 86400000 THEN 'stuck'
        ELSE 'due'
    END AS verdict,
    live_keys, dead_keys, overdue_tombstones, disk_records::BIGINT AS disk_records,
    disk_bytes::BIGINT AS disk_bytes, log_end_offset, first_dirty_offset, cleanable_to,
    coalesce(is_held_by_transaction, FALSE) AS is_held_by_transaction,
    cleanable_records::BIGINT AS cleanable_records, cleanable_bytes::BIGINT AS cleanable_bytes,
    removable_records::BIGINT AS removable_records,
    round(cleanable_bytes * coalesce(removable_share, 0))::BIGINT AS removable_bytes, removable_share,
    waiting_from, _instant_of(waiting_since_ms) AS waiting_since
FROM cleaning_measures
ORDER BY cluster, log_partition
