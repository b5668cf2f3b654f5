-- What moved the start offset of one share partition between two instants, and what became of its offsets, in the order
-- of __share_group_state: offsets that came back after a delivery, that were accepted, or given up and why. Records by
-- which offsets were accepted at the same delivery, and the start offset went on, are one row as long as nothing else
-- comes in between. A topic whose name is not known is named by its id.
WITH moves AS (
    SELECT
        cluster, state_partition, record_offset, written_at, 'start_offset' AS event, from_offset AS start_before,
        to_offset AS start_after, cause, undelivered_offsets, state_epoch, cause <> 'unknown' AS is_gap_free,
        cause IN ('initialized', 'reset') AS begins_anew
    FROM core.share_start_offsets WHERE group_id = grp AND coalesce(topic, topic_id) = tpc AND partition = prt
),
archived AS (
    SELECT
        cluster, state_partition, record_offset, from_offset, any_value(cause) AS cause,
        any_value(certainty) AS certainty
    FROM mart.share_archived WHERE group_id = grp AND coalesce(topic, topic_id) = tpc AND partition = prt GROUP BY ALL
),
deliveries AS (
    SELECT
        d.cluster, d.state_partition, d.record_offset, d.written_at, coalesce(d.delivery_state, 'unknown') AS event,
        min(d.from_offset) AS from_offset, max(d.to_offset) AS to_offset, sum(d.to_offset - d.from_offset) AS offsets,
        count(*) AS ranges, d.delivery_count, a.cause, a.certainty, d.state_epoch, d.is_gap_free
    FROM core.share_deliveries AS d
    LEFT JOIN archived AS a
        ON
            a.cluster = d.cluster AND a.state_partition = d.state_partition AND a.record_offset = d.record_offset
            AND a.from_offset = d.from_offset AND d.delivery_state = 'archived'
    WHERE d.group_id = grp AND coalesce(d.topic, d.topic_id) = tpc AND d.partition = prt
    GROUP BY ALL
),
events AS (
    SELECT
        *, coalesce(
            is_gap_free
            AND if(event = 'start_offset', cause = 'advanced', event = 'acknowledged'), FALSE
        ) AS is_usual,
        row_number() OVER (
            PARTITION BY cluster, state_partition
            ORDER BY
                record_offset, if(event = 'start_offset', if(begins_anew, 0, 2), 1), from_offset, event, delivery_count
        ) AS place
    FROM (
        FROM deliveries
        UNION ALL BY NAME
        FROM moves
    )
),
with_last_counts AS (
    SELECT
        *, last_value(delivery_count IGNORE NULLS) OVER (PARTITION BY cluster, state_partition ORDER BY place)
            AS last_count
    FROM events
),
runs AS (
    SELECT
        *, count_if(NOT is_usual OR begins_usual) OVER (PARTITION BY cluster, state_partition ORDER BY place) AS run
    FROM (
        SELECT
            *, NOT coalesce(lag(is_usual) OVER log, FALSE)
            OR (state_epoch IS DISTINCT FROM lag(state_epoch) OVER log)
            OR (last_count IS DISTINCT FROM lag(last_count) OVER log) AS begins_usual
        FROM with_last_counts WINDOW log AS (PARTITION BY cluster, state_partition ORDER BY place)
    )
),
folded AS (
    SELECT
        cluster, min(written_at) AS occurred_at, max(written_at) AS until_at, state_partition,
        min(record_offset) AS record_offset, max(record_offset) AS until_record_offset,
        if(bool_or(event <> 'start_offset'), arg_min(event, (event = 'start_offset', place)), 'start_offset') AS event,
        count(DISTINCT record_offset) AS records, min(from_offset) AS from_offset, max(to_offset) AS to_offset,
        _as_bigint(sum(offsets)) AS offsets, sum(ranges)::BIGINT AS ranges, any_value(delivery_count) AS delivery_count,
        (arg_min({ 'value': start_before }, place) FILTER (event = 'start_offset')).value AS previous_start_offset,
        arg_max(start_after, place) AS start_offset, any_value(undelivered_offsets) AS undelivered_offsets,
        if(bool_and(is_usual), NULL, any_value(cause)) AS cause, any_value(certainty) AS certainty,
        any_value(state_epoch) AS state_epoch, bool_and(is_gap_free) AS is_gap_free, min(place) AS place
    FROM runs GROUP BY cluster, state_partition, run
)
SELECT * EXCLUDE (place) FROM folded
WHERE coalesce(occurred_at <= to_ts AND until_at >= from_ts, TRUE)
ORDER BY cluster, coalesce(occurred_at, 'infinity'::TIMESTAMPTZ), state_partition, place
