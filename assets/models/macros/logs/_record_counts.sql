-- How many records, and bytes, lie in ranges of logs: `logs_of` names a table that numbers them, `ranges_of` one that
-- has log, from_offset and to_offset. Records are counted up to each edge of a range: those before its end less those
-- before its beginning. Ranges that were not read without a gap have no row.
WITH retired_ends AS (SELECT cluster, topic, partition, max(to_offset) AS to_offset FROM raw.retired_ranges GROUP BY ALL
),
-- Stretches of the log without a gap between them.
read_ranges AS MATERIALIZED (
    SELECT log, min(from_offset) AS from_offset, max(end_offset) AS to_offset
    FROM (
        SELECT *, count_if(is_new) OVER (PARTITION BY log ORDER BY from_offset, end_offset) AS island
        FROM (
            SELECT
                l.log, greatest(s.from_offset, r.to_offset) AS from_offset, s.end_offset,
                coalesce(greatest(s.from_offset, r.to_offset) > max(s.end_offset) OVER (
                    PARTITION BY l.log ORDER BY s.from_offset, s.end_offset
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ), TRUE) AS is_new
            FROM raw.segments AS s
            JOIN query_table(logs_of) AS l USING (cluster, topic, partition)
            LEFT JOIN retired_ends AS r USING (cluster, topic, partition)
            WHERE s.quarantined_count = 0 AND s.end_offset > greatest(s.from_offset, r.to_offset)
        )
    )
    GROUP BY log, island
),
covered_ranges AS MATERIALIZED (
    SELECT a.log, a.from_offset, a.to_offset
    FROM query_table(ranges_of) AS a
    ASOF JOIN read_ranges AS s ON s.log = a.log AND s.from_offset <= a.from_offset
    WHERE s.to_offset >= a.to_offset
),
batches AS MATERIALIZED (
    SELECT
        l.log,
        b.base_offset,
        b.last_offset,
        b.record_count,
        b.producer_id,
        b.is_transactional,
        b.is_control,
        b.control_type,
        b.size_bytes, b.base_timestamp_ms, b.max_timestamp_ms
    FROM raw.batches AS b JOIN query_table(logs_of) AS l USING (cluster, topic, partition)
),
markers AS (
    SELECT log, producer_id, base_offset, control_type FROM batches WHERE control_type IN ('COMMIT', 'ABORT')
),
-- The cleaner keeps a marker as long as anything of its transaction is left, so the next one is the transaction's own,
-- unless a gap lies before it.
outcomes AS (
    SELECT b.*, if(m.base_offset >= s.to_offset, NULL, m.control_type) AS outcome
    FROM (FROM batches WHERE is_transactional) AS b
    ASOF LEFT JOIN markers AS m ON m.log = b.log AND m.producer_id = b.producer_id AND m.base_offset > b.last_offset
    ASOF LEFT JOIN read_ranges AS s ON s.log = b.log AND s.from_offset <= b.base_offset
),
batch_records AS (
    SELECT
        log, base_offset, last_offset, size_bytes, base_timestamp_ms, max_timestamp_ms,
        CASE
            WHEN is_control OR record_count = 0 THEN 0
            WHEN NOT is_transactional OR outcome = 'COMMIT' THEN record_count
            WHEN outcome = 'ABORT' THEN 0
        END AS records
    FROM (
        FROM outcomes
        UNION ALL BY NAME
        FROM batches WHERE is_transactional IS NOT TRUE
    )
    UNION ALL BY NAME
    -- What lies before the first batch of a log.
    SELECT log, -1 AS base_offset, -1 AS last_offset, 0 AS size_bytes, 0 AS records FROM query_table(logs_of)
),
running_sums AS (
    SELECT
        log, base_offset, last_offset, records, own_bytes, coalesce(sum(own_bytes) OVER log, 0) AS bytes,
        coalesce(sum(records) OVER log, 0) AS all_records, count_if(records IS NULL) OVER log AS unknown_batches,
        last_value(last_time IGNORE NULLS) OVER log AS last_time, own_first,
        first_value(own_first IGNORE NULLS) OVER (log ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_first
    FROM (
        SELECT
            *, if(records = 0, 0, size_bytes) AS own_bytes,
            if(
                records = 0 OR _instant_of(base_timestamp_ms) IS NULL, NULL,
                { 'offset': base_offset, 'at': _instant_of(base_timestamp_ms) }
            ) AS own_first,
            if(
                records = 0 OR _instant_of(max_timestamp_ms) IS NULL, NULL,
                { 'offset': last_offset, 'at': _instant_of(max_timestamp_ms) }
            ) AS last_time
        FROM batch_records
    )
    WINDOW log AS (PARTITION BY log ORDER BY base_offset)
),
edges AS (SELECT DISTINCT log, unnest([from_offset, to_offset]) AS edge FROM covered_ranges),
edge_sums AS MATERIALIZED (
    SELECT
        e.log, e.edge,
        CASE
            WHEN b.last_offset < e.edge OR b.records = 0 THEN b.all_records
            WHEN b.records - 1 = b.last_offset - b.base_offset THEN b.all_records - (b.last_offset - e.edge + 1)
        END AS records,
        b.unknown_batches,
        b.bytes AS bytes_through,
        if(b.last_offset < e.edge, b.bytes, b.bytes - b.own_bytes) AS bytes_before,
        b.last_time, if(b.last_offset >= e.edge, coalesce(b.own_first, b.next_first), b.next_first) AS next_first
    FROM edges AS e
    ASOF JOIN running_sums AS b ON b.log = e.log AND b.base_offset < e.edge
)
SELECT
    c.log, c.from_offset, c.to_offset,
    if(t.unknown_batches > f.unknown_batches, NULL, _as_bigint(t.records - f.records)) AS records,
    _as_bigint(t.bytes_through - f.bytes_before) AS bytes,
    if(f.next_first.offset < c.to_offset, f.next_first.at, NULL) AS first_record_at,
    if(t.last_time.offset >= c.from_offset, t.last_time.at, NULL) AS last_record_at
FROM covered_ranges AS c
JOIN edge_sums AS f ON f.log = c.log AND f.edge = c.from_offset
JOIN edge_sums AS t ON t.log = c.log AND t.edge = c.to_offset
