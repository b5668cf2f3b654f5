-- What the cleaner could take out of each partition of the offsets topic now, and whether it does. What stands on disk is
-- told by the newest read of each file; what it would keep by the keys below the segment that it may not touch.
WITH reads AS (
    SELECT * REPLACE (coalesce(end_offset, base_offset) AS end_offset),
           max(read_at) FILTER (start_position = 0) OVER file AS begun_at,
           arg_max(path, {'read_at': read_at, 'modified_ms': modified_ms}) FILTER (start_position = 0) OVER file AS begun_in
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source IN ('file', 'live') AND file_suffix IS NULL
    WINDOW file AS (PARTITION BY cluster, partition, broker_id, base_offset)
),
-- The cleaner writes a file anew, and puts what is left of several into the first of them.
standing AS (
    SELECT * FROM (
        SELECT *, max(end_offset) OVER (
            PARTITION BY cluster, partition, broker_id ORDER BY base_offset
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS covered_to
        FROM reads
        WHERE coalesce(read_at > begun_at OR (read_at = begun_at AND path = begun_in), begun_at IS NULL)
    )
    WHERE covered_to IS NULL OR covered_to <= base_offset
),
copies AS (
    SELECT cluster, partition AS log_partition, broker_id, max(base_offset) AS active_segment,
           max(end_offset) AS log_end_offset, max(read_at) AS read_at, max(first_dirty_offset) AS first_dirty_offset,
           sum(end_position - start_position) AS disk_bytes, sum(record_count) AS disk_records,
           coalesce(max(end_offset) FILTER (record_count < end_offset - from_offset), min(from_offset)) AS whole_from
    FROM standing
    GROUP BY ALL
),
logs AS (
    SELECT * FROM copies
    QUALIFY row_number() OVER (
        PARTITION BY cluster, log_partition ORDER BY log_end_offset DESC, read_at DESC, broker_id
    ) = 1
),
open AS (
    SELECT cluster, partition AS log_partition, min(first_offset) AS open_from
    FROM mart.open_transactions WHERE topic = '__consumer_offsets' GROUP BY ALL
),
limited AS (
    SELECT l.*, o.open_from, least(l.active_segment, o.open_from) AS asked_until,
           max(s.base_offset) AS cleanable_to
    FROM logs AS l
    LEFT JOIN open AS o USING (cluster, log_partition)
    JOIN standing AS s
        ON s.cluster = l.cluster AND s.partition = l.log_partition AND s.broker_id IS NOT DISTINCT FROM l.broker_id
        AND s.base_offset <= least(l.active_segment, o.open_from)
    GROUP BY ALL
),
cleanable AS (
    SELECT l.cluster, l.log_partition, sum(s.end_position - s.start_position) AS cleanable_bytes,
           sum(s.record_count) AS cleanable_records
    FROM limited AS l
    JOIN standing AS s
        ON s.cluster = l.cluster AND s.partition = l.log_partition AND s.broker_id IS NOT DISTINCT FROM l.broker_id
        AND s.base_offset < l.cleanable_to
    GROUP BY ALL
),
keys AS (
    SELECT r.cluster, r.log_partition, r.record_type, r.group_id, r.topic, r.partition, r.member_id, r.regular_expression,
           r.undecoded_key, coalesce(r.is_control, false) AS is_control,
           count(*) FILTER (r.log_offset < l.cleanable_to) AS below,
           arg_max(r.is_tombstone, r.log_offset) AS is_dead, max(r.timestamp_ms) AS newest_ms,
           max(r.delete_horizon_ms) FILTER (r.is_tombstone) AS horizon_ms,
           min(r.log_offset) FILTER (r.log_offset >= l.whole_from AND r.log_offset < l.cleanable_to) AS first_offset,
           max(r.log_offset) FILTER (r.log_offset < l.cleanable_to) AS last_offset,
           arg_min(r.timestamp_ms, r.log_offset) FILTER (r.log_offset >= l.whole_from AND r.log_offset < l.cleanable_to)
               AS first_ms
    FROM raw.offset_records AS r
    LEFT JOIN limited AS l USING (cluster, log_partition)
    GROUP BY ALL
),
counted AS (
    SELECT cluster, log_partition, count_if(NOT is_control AND NOT coalesce(is_dead, false)) AS live_keys,
           count_if(NOT is_control AND is_dead) AS dead_keys, max(newest_ms) AS newest_ms,
           sum(if(is_control, below, least(below, 1))) AS kept_records,
           min(first_ms) FILTER (NOT is_control AND first_offset < last_offset AND first_ms >= 0) AS waiting_since_ms,
           min(first_offset) FILTER (NOT is_control AND first_offset < last_offset) AS waiting_from,
           list(horizon_ms) FILTER (NOT is_control AND is_dead AND horizon_ms >= 0) AS horizons
    FROM keys
    GROUP BY ALL
),
judged AS (
    SELECT l.cluster, l.log_partition, l.log_end_offset, l.disk_bytes, l.disk_records, c.live_keys, c.dead_keys,
           len(list_filter(coalesce(c.horizons, []), lambda horizon_ms: horizon_ms <= c.newest_ms)) AS overdue_tombstones,
           l.cleanable_to, l.open_from < l.active_segment AS is_held_by_transaction, l.first_dirty_offset,
           coalesce(k.cleanable_records, 0) AS cleanable_records, coalesce(k.cleanable_bytes, 0) AS cleanable_bytes,
           greatest(coalesce(k.cleanable_records, 0) - c.kept_records, 0) AS removable_records,
           removable_records / nullif(k.cleanable_records, 0) AS removable_share, c.waiting_from, c.waiting_since_ms, c.newest_ms
    FROM limited AS l
    LEFT JOIN cleanable AS k USING (cluster, log_partition)
    JOIN counted AS c USING (cluster, log_partition)
)
SELECT cluster, log_partition,
       CASE WHEN cleanable_records = 0 THEN 'nothing_to_clean'
            WHEN removable_share <= 0.5 THEN 'keeps_up'
            WHEN newest_ms - waiting_since_ms > 86400000 THEN 'stuck'
            ELSE 'due' END AS verdict,
       live_keys, dead_keys, overdue_tombstones::BIGINT AS overdue_tombstones, disk_records::BIGINT AS disk_records,
       disk_bytes::BIGINT AS disk_bytes, log_end_offset, first_dirty_offset, cleanable_to,
       coalesce(is_held_by_transaction, false) AS is_held_by_transaction,
       cleanable_records::BIGINT AS cleanable_records, cleanable_bytes::BIGINT AS cleanable_bytes,
       removable_records::BIGINT AS removable_records,
       round(cleanable_bytes * coalesce(removable_share, 0))::BIGINT AS removable_bytes, removable_share,
       waiting_from, _instant_of(waiting_since_ms) AS waiting_since
FROM judged
ORDER BY cluster, log_partition
