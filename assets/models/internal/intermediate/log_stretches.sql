-- The stretches of each log: its batches, and what lies behind them up to an end that a broker named.
-- Offsets between two batches of one segment are holes that the cleaner left; between two segments nobody can tell them
-- from a segment that was not read.
WITH visible_batches AS (
    SELECT
        b.*, NOT b.is_control AND coalesce(t.outcome <> 'ABORT', TRUE) AS is_visible,
        b.last_offset - b.base_offset + 1 AS span,
        lag(b.last_offset + 1) OVER log AS before_end,
        if(
            lag(b.segment_base_offset) OVER log = b.segment_base_offset, lag(b.last_offset + 1) OVER log,
            greatest(b.segment_base_offset, lag(b.last_offset + 1) OVER log)
        ) AS seen_from
    FROM data_batches AS b
    LEFT JOIN batch_transactions AS t USING (cluster, topic, partition, base_offset)
    WINDOW log AS (PARTITION BY b.cluster, b.topic, b.partition ORDER BY b.base_offset)
)
SELECT
    cluster, topic, partition, 'batch' AS source, base_offset, last_offset, seen_from,
    if(is_visible, least(coalesce(record_count, 1), span), 0) AS records_lower,
    if(is_visible, least(record_count, span), 0) AS records_upper,
    if(is_visible, size_bytes, 0) AS bytes,
    coalesce(seen_from - before_end, 0) AS unseen,
    if(is_log_append_time, max_at, base_at) AS earliest_at,
    if(is_log_append_time OR record_count IS DISTINCT FROM span, max_at, base_at) AS first_latest_at,
    max_at AS latest_at, NULL::BIGINT AS known_stable_offset
FROM visible_batches
UNION ALL BY NAME
SELECT
    b.cluster, b.topic, b.partition, b.source, base_offset, b.log_end_offset - 1 AS last_offset,
    base_offset AS seen_from, 0 AS records_lower, b.log_end_offset - base_offset AS records_upper, 0 AS bytes,
    b.log_end_offset - base_offset AS unseen, earliest_at, first_at AS first_latest_at, first_at AS latest_at,
    b.last_stable_offset AS known_stable_offset
FROM (
    SELECT
        b.*, coalesce(lag(b.log_end_offset) OVER log, e.last_end, 0) AS base_offset,
        coalesce(lag(b.last_at) OVER log, e.last_at) AS earliest_at
    FROM unread_ends AS b LEFT JOIN batch_ends AS e USING (cluster, topic, partition)
    WINDOW log AS (PARTITION BY b.cluster, b.topic, b.partition ORDER BY b.log_end_offset)
) AS b
