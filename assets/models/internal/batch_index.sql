-- How far each data partition reached and what a consumer could read of it: a row per batch, and per word of a broker;
-- of some topics where variables name the first and the last.
WITH running_sums AS (
    SELECT
        *, last_offset + 1 AS log_end_offset,
        if(source = 'batch', max(latest_at) OVER log, latest_at) AS reached_at,
        sum(records_lower) OVER log AS records_lower_through,
        sum(records_upper + if(source = 'batch', unseen, 0)) OVER log AS records_upper_through,
        sum(bytes) OVER log AS bytes_through,
        sum(unseen) OVER log AS unseen_through,
        first_value(
            if(
                records_upper > 0 OR unseen > 0,
                {
                    'offset': seen_from, 'earliest_at': if(source = 'batch' AND unseen > 0, NULL, earliest_at),
                    'latest_at': if(records_lower > 0, first_latest_at, NULL)
                }, NULL
            )
            IGNORE NULLS
        ) OVER (log ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next
    FROM log_stretches
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
),
-- A look back in time sorts all that passes through it: so only logs that need one do.
stable_ends AS (
    SELECT s.*, u.first_offset AS held_from
    FROM (FROM running_sums SEMI JOIN unstable_ranges USING (cluster, topic, partition)) AS s
    ASOF LEFT JOIN unstable_ranges AS u
        ON u.cluster = s.cluster AND u.topic = s.topic AND u.partition = s.partition AND s.log_end_offset <= u.closed_by
    UNION ALL BY NAME
    FROM running_sums ANTI JOIN unstable_ranges USING (cluster, topic, partition)
),
log_points AS (
    SELECT
        * EXCLUDE (held_from),
        if(source = 'batch', least(held_from, log_end_offset), known_stable_offset) AS last_stable_offset
    FROM stable_ends
    UNION ALL BY NAME
    SELECT
        t.cluster, t.topic, t.partition, t.source, t.reached_at, t.log_end_offset, t.last_stable_offset,
        coalesce(s.records_lower_through, 0) AS records_lower_through,
        coalesce(s.records_upper_through, 0) AS records_upper_through,
        coalesce(s.bytes_through, 0) AS bytes_through, coalesce(s.unseen_through, 0) AS unseen_through
    FROM (FROM broker_log_ends ANTI JOIN unread_ends USING (cluster, topic, partition, log_end_offset)) AS t
    ASOF LEFT JOIN (FROM running_sums SEMI JOIN broker_log_ends USING (cluster, topic, partition)) AS s
        ON
            s.cluster = t.cluster
            AND s.topic = t.topic
            AND s.partition = t.partition
            AND t.log_end_offset > s.base_offset
),
unstable_points AS MATERIALIZED (FROM log_points WHERE last_stable_offset < log_end_offset),
stable_sums AS (
    SELECT
        r.*, coalesce(s.records_lower_through, 0) AS stable_lower_through,
        coalesce(s.records_upper_through, 0) AS stable_upper_through,
        coalesce(s.bytes_through, 0) AS stable_bytes_through,
        coalesce(s.unseen_through, 0) AS stable_unseen_through
    FROM unstable_points AS r
    ASOF LEFT JOIN (FROM running_sums SEMI JOIN unstable_points USING (cluster, topic, partition)) AS s
        ON
            s.cluster = r.cluster
            AND s.topic = r.topic
            AND s.partition = r.partition
            AND r.last_stable_offset > s.base_offset
    UNION ALL BY NAME
    SELECT
        *, records_lower_through AS stable_lower_through, records_upper_through AS stable_upper_through,
        bytes_through AS stable_bytes_through, unseen_through AS stable_unseen_through
    FROM log_points WHERE (last_stable_offset < log_end_offset) IS NOT TRUE
)
SELECT
    cluster, topic, partition, source, log_end_offset, reached_at,
    coalesce(log_end_offset > max(log_end_offset) OVER (by_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), TRUE)
    AND log_end_offset = max(log_end_offset) OVER (
        PARTITION BY cluster, topic, partition ORDER BY reached_at RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AND reached_at IS NOT NULL AS is_new_log_end,
    base_offset, last_offset, seen_from, records_lower, records_upper, bytes, earliest_at, first_latest_at, latest_at,
    next.offset AS next_offset, next.earliest_at AS next_earliest_at, next.latest_at AS next_latest_at,
    records_lower_through::BIGINT AS records_lower_through, records_upper_through::BIGINT AS records_upper_through,
    bytes_through::BIGINT AS bytes_through, unseen_through::BIGINT AS unseen_through, last_stable_offset,
    stable_lower_through::BIGINT AS stable_lower_through, stable_upper_through::BIGINT AS stable_upper_through,
    stable_bytes_through::BIGINT AS stable_bytes_through, stable_unseen_through::BIGINT AS stable_unseen_through
FROM stable_sums
WINDOW by_time AS (PARTITION BY cluster, topic, partition ORDER BY reached_at, log_end_offset, source)
ORDER BY cluster, topic, partition, log_end_offset, source
