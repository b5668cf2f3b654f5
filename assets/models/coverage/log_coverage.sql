-- Which offsets of each log were seen: pieces between the ends of all stretches read, joined where they say the same.
WITH stretches AS (
    SELECT
        cluster, topic, partition, read_at, log_start_offset,
        from_offset, end_offset AS to_offset,
        record_count = end_offset - from_offset AND quarantined_count = 0 AS is_gap_free
    FROM raw.segments
    WHERE end_offset > from_offset
),
edges AS (
    SELECT DISTINCT cluster, topic, partition, unnest([from_offset, to_offset]) AS from_offset FROM stretches
    UNION
    SELECT cluster, topic, partition, unnest([from_offset, to_offset]) FROM raw.retired_ranges
    UNION
    SELECT cluster, topic, partition, max(log_start_offset) FROM stretches
    WHERE log_start_offset < from_offset OR log_start_offset IS NULL
    GROUP BY ALL HAVING max(log_start_offset) < min(from_offset)
),
pieces AS (
    SELECT *, lead(from_offset) OVER (PARTITION BY cluster, topic, partition ORDER BY from_offset) AS to_offset
    FROM edges
),
retired_pieces AS (
    SELECT DISTINCT p.cluster, p.topic, p.partition, p.from_offset
    FROM pieces AS p
    JOIN raw.retired_ranges AS r
        ON
            r.cluster = p.cluster AND r.topic = p.topic AND r.partition = p.partition
            AND r.from_offset <= p.from_offset AND r.to_offset >= p.to_offset
),
piece_states AS (
    SELECT
        p.cluster, p.topic, p.partition, p.from_offset, p.to_offset,
        CASE
            WHEN count(s.from_offset) = 0 THEN 'never' WHEN count(r.from_offset) > 0 THEN 'retired'
            WHEN bool_or(s.is_gap_free) THEN 'whole' ELSE 'gaps'
        END AS status,
        min(s.read_at) AS first_read_at, max(s.read_at) AS last_read_at, count(s.from_offset) AS stretches
    FROM pieces AS p
    LEFT JOIN stretches AS s
        ON
            s.cluster = p.cluster AND s.topic = p.topic AND s.partition = p.partition
            AND s.from_offset <= p.from_offset AND s.to_offset >= p.to_offset
    LEFT JOIN retired_pieces AS r
        ON r.cluster = p.cluster AND r.topic = p.topic AND r.partition = p.partition AND r.from_offset = p.from_offset
    WHERE p.to_offset IS NOT NULL
    GROUP BY ALL
),
islands AS (
    SELECT *, count_if(is_new) OVER (PARTITION BY cluster, topic, partition ORDER BY from_offset) AS island
    FROM (
        SELECT
            *,
            (status IS DISTINCT FROM lag(status) OVER (PARTITION BY cluster, topic, partition ORDER BY from_offset))
                AS is_new
        FROM piece_states
    )
)
SELECT
    cluster,
    topic,
    partition,
    min(from_offset) AS from_offset,
    max(to_offset) AS to_offset,
    any_value(status) AS status,
    min(first_read_at) AS first_read_at, max(last_read_at) AS last_read_at,
    max(stretches)::BIGINT AS max_copies, any_value(batches_read) AS batches_read,
    any_value(batches_set_aside) AS batches_set_aside
FROM islands
LEFT JOIN (
    SELECT
        cluster, topic, partition, sum(batch_count)::BIGINT AS batches_read,
        sum(batches_set_aside)::BIGINT AS batches_set_aside
    FROM raw.segments GROUP BY ALL
) USING (cluster, topic, partition)
GROUP BY cluster, topic, partition, island
ORDER BY cluster, topic, partition, from_offset
