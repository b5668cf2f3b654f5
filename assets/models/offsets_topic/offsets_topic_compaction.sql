-- What the cleaner could take out of each partition of the offsets topic now, and whether it does. What stands on disk
-- is told by the newest read of each file; what it would keep by the keys below the segment that it may not touch.
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
keys AS (
    SELECT
        r.cluster, r.log_partition, r.record_type, r.group_id, r.topic, r.partition, r.member_id, r.regular_expression,
        r.undecoded_key, coalesce(r.is_control, FALSE) AS is_control,
        count(*) FILTER (r.log_offset < l.cleanable_to) AS below,
        arg_max(r.is_tombstone, r.log_offset) AS is_dead, max(r.timestamp_ms) AS newest_ms,
        max(r.delete_horizon_ms) FILTER (r.is_tombstone) AS horizon_ms,
        min(r.log_offset) FILTER (r.log_offset >= l.whole_from AND r.log_offset < l.cleanable_to) AS first_offset,
        max(r.log_offset) FILTER (r.log_offset < l.cleanable_to) AS last_offset,
        arg_min(r.timestamp_ms, r.log_offset) FILTER (r.log_offset >= l.whole_from AND r.log_offset < l.cleanable_to)
            AS first_ms
    FROM raw.offset_records AS r
    LEFT JOIN cleaning_limits AS l USING (cluster, log_partition)
    GROUP BY ALL
),
key_counts AS (
    SELECT
        cluster, log_partition, count_if(NOT is_control AND NOT coalesce(is_dead, FALSE)) AS live_keys,
        count_if(NOT is_control AND is_dead) AS dead_keys, max(newest_ms) AS newest_ms,
        sum(if(is_control, below, least(below, 1))) AS kept_records,
        min(first_ms) FILTER (NOT is_control AND first_offset < last_offset AND first_ms >= 0) AS waiting_since_ms,
        min(first_offset) FILTER (NOT is_control AND first_offset < last_offset) AS waiting_from,
        list(horizon_ms) FILTER (NOT is_control AND is_dead AND horizon_ms >= 0) AS horizons
    FROM keys
    GROUP BY ALL
),
cleaning_measures AS (
    SELECT
        l.cluster, l.log_partition, l.log_end_offset, l.disk_bytes, l.disk_records, c.live_keys, c.dead_keys,
        len(list_filter(coalesce(c.horizons, []), LAMBDA horizon_ms: horizon_ms <= c.newest_ms)) AS overdue_tombstones,
        l.cleanable_to, l.open_from < l.active_segment AS is_held_by_transaction, l.first_dirty_offset,
        coalesce(k.cleanable_records, 0) AS cleanable_records, coalesce(k.cleanable_bytes, 0) AS cleanable_bytes,
        greatest(coalesce(k.cleanable_records, 0) - c.kept_records, 0) AS removable_records,
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
    live_keys, dead_keys, overdue_tombstones::BIGINT AS overdue_tombstones, disk_records::BIGINT AS disk_records,
    disk_bytes::BIGINT AS disk_bytes, log_end_offset, first_dirty_offset, cleanable_to,
    coalesce(is_held_by_transaction, FALSE) AS is_held_by_transaction,
    cleanable_records::BIGINT AS cleanable_records, cleanable_bytes::BIGINT AS cleanable_bytes,
    removable_records::BIGINT AS removable_records,
    round(cleanable_bytes * coalesce(removable_share, 0))::BIGINT AS removable_bytes, removable_share,
    waiting_from, _instant_of(waiting_since_ms) AS waiting_since
FROM cleaning_measures
ORDER BY cluster, log_partition
