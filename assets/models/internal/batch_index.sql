-- How far each data partition reached and what a consumer could read of it: a row per batch, and per word of a broker; of some
-- topics where variables name the first and the last.
WITH batches AS (
    SELECT cluster, topic, partition, base_offset, last_offset, size_bytes, segment_base_offset, record_count, producer_id,
           is_transactional, is_control, control_type, is_log_append_time,
           if(base_timestamp_ms BETWEEN 0 AND 253402300799999, make_timestamptz(base_timestamp_ms * 1000), NULL) AS base_at,
           if(max_timestamp_ms BETWEEN 0 AND 253402300799999, make_timestamptz(max_timestamp_ms * 1000), NULL) AS max_at
    FROM log_batches()
    WHERE lost_to IS NULL AND last_offset >= base_offset AND last_offset < 9223372036854775807
      AND coalesce(topic BETWEEN getvariable('from_topic') AND getvariable('to_topic'), TRUE)
),
-- A transaction ends with the next marker of its producer in the same partition; what has none was open to the end.
transactional AS (
    SELECT cluster, topic, partition, base_offset, producer_id, is_control,
           first_value(if(is_control, control_type, NULL) IGNORE NULLS) OVER onwards AS outcome,
           first_value(if(is_control, base_offset, NULL) IGNORE NULLS) OVER onwards AS marker_offset
    FROM batches
    WHERE is_transactional OR is_control
    WINDOW onwards AS (
        PARTITION BY cluster, topic, partition, producer_id ORDER BY base_offset
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    )
),
-- While the log ended at or before `closed_by`, the transaction that began at `first_offset` held the last stable offset.
unstable AS (
    SELECT cluster, topic, partition, closed_by, min(first_offset) AS first_offset
    FROM (
        SELECT cluster, topic, partition, first_offset,
               max(marker_offset) OVER (PARTITION BY cluster, topic, partition ORDER BY first_offset) AS closed_by
        FROM (
            SELECT cluster, topic, partition, min(base_offset) AS first_offset,
                   coalesce(marker_offset, 9223372036854775807) AS marker_offset
            FROM transactional WHERE NOT is_control
            GROUP BY cluster, topic, partition, producer_id, marker_offset
        )
    )
    GROUP BY ALL
),
-- Offsets between two batches of one segment are holes that the cleaner left; between two segments nobody can tell them
-- from a segment that was not read.
judged AS (
    SELECT b.*, NOT b.is_control AND coalesce(t.outcome <> 'ABORT', true) AS is_visible,
           b.last_offset - b.base_offset + 1 AS span,
           lag(b.last_offset + 1) OVER log AS before_end,
           if(lag(b.segment_base_offset) OVER log = b.segment_base_offset, lag(b.last_offset + 1) OVER log,
              greatest(b.segment_base_offset, lag(b.last_offset + 1) OVER log)) AS seen_from
    FROM batches AS b
    LEFT JOIN transactional AS t USING (cluster, topic, partition, base_offset)
    WINDOW log AS (PARTITION BY b.cluster, b.topic, b.partition ORDER BY b.base_offset)
),
told AS (
    SELECT e.cluster, e.topic, e.partition, e.source, e.reached_at, e.log_end_offset, s.last_stable_offset
    FROM core.log_ends AS e
    LEFT JOIN raw.log_offset_samples AS s
        ON s.cluster = e.cluster AND s.topic = e.topic AND s.partition = e.partition AND s.sampled_at = e.reached_at
        AND e.source = 'live' AND s.high_watermark = e.log_end_offset
    WHERE e.source <> 'batch' AND e.log_end_offset IS NOT NULL AND e.until_at IS NULL
      AND coalesce(e.topic BETWEEN getvariable('from_topic') AND getvariable('to_topic'), TRUE)
),
ends AS (
    SELECT cluster, topic, partition, max(last_offset) + 1 AS last_end, max(max_at) AS last_at FROM batches GROUP BY ALL
),
-- What a broker said of a log beyond the batches that were read is a stretch that nobody looked into.
beyond AS (
    SELECT t.cluster, t.topic, t.partition, any_value(t.source) AS source, t.log_end_offset,
           min(t.reached_at) AS first_at, max(t.reached_at) AS last_at, max(t.last_stable_offset) AS last_stable_offset
    FROM told AS t LEFT JOIN ends AS e USING (cluster, topic, partition)
    WHERE t.log_end_offset > coalesce(e.last_end, 0)
    GROUP BY ALL
),
places AS (
    SELECT cluster, topic, partition, 'batch' AS source, base_offset, last_offset, seen_from,
           if(is_visible, least(coalesce(record_count, 1), span), 0) AS records_lower,
           if(is_visible, least(record_count, span), 0) AS records_upper,
           if(is_visible, size_bytes, 0) AS bytes,
           coalesce(seen_from - before_end, 0) AS unseen,
           if(is_log_append_time, max_at, base_at) AS earliest_at,
           if(is_log_append_time OR record_count IS DISTINCT FROM span, max_at, base_at) AS first_latest_at,
           max_at AS latest_at, NULL::BIGINT AS told_stable_offset
    FROM judged
    UNION ALL BY NAME
    SELECT b.cluster, b.topic, b.partition, b.source, base_offset, b.log_end_offset - 1 AS last_offset,
           base_offset AS seen_from, 0 AS records_lower, b.log_end_offset - base_offset AS records_upper, 0 AS bytes,
           b.log_end_offset - base_offset AS unseen, earliest_at, first_at AS first_latest_at, first_at AS latest_at,
           b.last_stable_offset AS told_stable_offset
    FROM (
        SELECT b.*, coalesce(lag(b.log_end_offset) OVER log, e.last_end, 0) AS base_offset,
               coalesce(lag(b.last_at) OVER log, e.last_at) AS earliest_at
        FROM beyond AS b LEFT JOIN ends AS e USING (cluster, topic, partition)
        WINDOW log AS (PARTITION BY b.cluster, b.topic, b.partition ORDER BY b.log_end_offset)
    ) AS b
),
summed AS (
    SELECT *, last_offset + 1 AS log_end_offset,
           if(source = 'batch', max(latest_at) OVER log, latest_at) AS reached_at,
           sum(records_lower) OVER log AS records_lower_through,
           sum(records_upper + if(source = 'batch', unseen, 0)) OVER log AS records_upper_through,
           sum(bytes) OVER log AS bytes_through,
           sum(unseen) OVER log AS unseen_through,
           first_value(
               if(records_upper > 0 OR unseen > 0,
                  {'offset': seen_from, 'earliest_at': if(source = 'batch' AND unseen > 0, NULL, earliest_at),
                   'latest_at': if(records_lower > 0, first_latest_at, NULL)}, NULL)
               IGNORE NULLS
           ) OVER (log ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next
    FROM places
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
),
-- A look back in time sorts all that passes through it: so only logs that need one do.
held AS (
    SELECT s.*, u.first_offset AS held_from
    FROM (FROM summed SEMI JOIN unstable USING (cluster, topic, partition)) AS s
    ASOF LEFT JOIN unstable AS u
        ON u.cluster = s.cluster AND u.topic = s.topic AND u.partition = s.partition AND s.log_end_offset <= u.closed_by
    UNION ALL BY NAME
    FROM summed ANTI JOIN unstable USING (cluster, topic, partition)
),
reached AS (
    SELECT * EXCLUDE (held_from), if(source = 'batch', least(held_from, log_end_offset), told_stable_offset) AS last_stable_offset
    FROM held
    UNION ALL BY NAME
    SELECT t.cluster, t.topic, t.partition, t.source, t.reached_at, t.log_end_offset, t.last_stable_offset,
           coalesce(s.records_lower_through, 0) AS records_lower_through,
           coalesce(s.records_upper_through, 0) AS records_upper_through,
           coalesce(s.bytes_through, 0) AS bytes_through, coalesce(s.unseen_through, 0) AS unseen_through
    FROM (FROM told ANTI JOIN beyond USING (cluster, topic, partition, log_end_offset)) AS t
    ASOF LEFT JOIN (FROM summed SEMI JOIN told USING (cluster, topic, partition)) AS s
        ON s.cluster = t.cluster AND s.topic = t.topic AND s.partition = t.partition AND t.log_end_offset > s.base_offset
),
below AS MATERIALIZED (FROM reached WHERE last_stable_offset < log_end_offset),
stable AS (
    SELECT r.*, coalesce(s.records_lower_through, 0) AS stable_lower_through,
           coalesce(s.records_upper_through, 0) AS stable_upper_through, coalesce(s.bytes_through, 0) AS stable_bytes_through,
           coalesce(s.unseen_through, 0) AS stable_unseen_through
    FROM below AS r
    ASOF LEFT JOIN (FROM summed SEMI JOIN below USING (cluster, topic, partition)) AS s
        ON s.cluster = r.cluster AND s.topic = r.topic AND s.partition = r.partition AND r.last_stable_offset > s.base_offset
    UNION ALL BY NAME
    SELECT *, records_lower_through AS stable_lower_through, records_upper_through AS stable_upper_through,
           bytes_through AS stable_bytes_through, unseen_through AS stable_unseen_through
    FROM reached WHERE (last_stable_offset < log_end_offset) IS NOT TRUE
)
SELECT cluster, topic, partition, source, log_end_offset, reached_at,
       coalesce(log_end_offset > max(log_end_offset) OVER (by_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true)
           AND log_end_offset = max(log_end_offset) OVER (
               PARTITION BY cluster, topic, partition ORDER BY reached_at RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
           ) AND reached_at IS NOT NULL AS is_new_log_end,
       base_offset, last_offset, seen_from, records_lower, records_upper, bytes, earliest_at, first_latest_at, latest_at,
       next.offset AS next_offset, next.earliest_at AS next_earliest_at, next.latest_at AS next_latest_at,
       records_lower_through::BIGINT AS records_lower_through, records_upper_through::BIGINT AS records_upper_through,
       bytes_through::BIGINT AS bytes_through, unseen_through::BIGINT AS unseen_through, last_stable_offset,
       stable_lower_through::BIGINT AS stable_lower_through, stable_upper_through::BIGINT AS stable_upper_through,
       stable_bytes_through::BIGINT AS stable_bytes_through, stable_unseen_through::BIGINT AS stable_unseen_through
FROM stable
WINDOW by_time AS (PARTITION BY cluster, topic, partition ORDER BY reached_at, log_end_offset, source)
ORDER BY cluster, topic, partition, log_end_offset, source
