-- How far the log of each data partition reached, and where it began, over time: a row per batch, and what checkpoints,
-- empty segments and brokers say. A log's end moves with every batch; its time is the largest timestamp so far, for
-- producers' clocks run apart.
WITH lives AS (
    SELECT cluster, topic, partition, any_value(topic_id) AS topic_id
    FROM (
        SELECT cluster, topic, partition, topic_id FROM raw.segments WHERE topic_id IS NOT NULL
        UNION ALL
        SELECT cluster, topic, partition, topic_id FROM raw.log_samples WHERE topic_id IS NOT NULL
    )
    GROUP BY ALL HAVING count(DISTINCT topic_id) = 1
),
-- A transaction goes from its producer's first batch behind a marker to the next marker.
transactions AS (
    SELECT cluster, topic, partition, min(base_offset) AS first_offset, marker
    FROM (
        SELECT cluster, topic, partition, producer_id, base_offset, is_control,
               coalesce(min(CASE WHEN is_control THEN base_offset END) OVER (
                   PARTITION BY cluster, topic, partition, producer_id ORDER BY base_offset
                   ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
               ), 9223372036854775807) AS marker
        FROM raw.batches WHERE is_transactional
    )
    WHERE NOT is_control
    GROUP BY cluster, topic, partition, producer_id, marker
),
-- Of those open at a time the oldest holds up who reads what is committed: from where all older ones had ended.
oldest AS (
    SELECT cluster, topic, partition, greatest(first_offset, coalesce(ended, 0)) AS from_offset, marker, first_offset
    FROM (
        SELECT *, max(marker) OVER (
            PARTITION BY cluster, topic, partition ORDER BY first_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS ended
        FROM transactions
    )
    WHERE marker > coalesce(ended, 0)
),
batches AS (
    SELECT cluster, topic, partition, base_offset,
           CASE WHEN last_offset < 9223372036854775807 THEN last_offset + 1 END AS log_end_offset,
           max(max_timestamp_ms) OVER log AS reached_ms, bool_and(follows) OVER log AS is_whole
    FROM (
        SELECT *, base_offset <= coalesce(lag(last_offset) OVER log, -1) + 1 AS follows
        FROM raw.batches
        WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
    )
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
),
logs AS (FROM raw.segments WHERE topic <> '__consumer_offsets'),
said AS (
    -- Over a hole nobody knows which transactions were open.
    SELECT b.cluster, b.topic, b.partition, l.topic_id,
           CASE WHEN b.reached_ms BETWEEN 0 AND 253402300799999 THEN epoch_ms(b.reached_ms) AT TIME ZONE 'UTC' END AS reached_at,
           NULL AS log_start_offset, b.log_end_offset, NULL AS high_watermark,
           CASE WHEN NOT b.is_whole THEN NULL WHEN b.base_offset < t.marker THEN t.first_offset ELSE b.log_end_offset END
               AS last_stable_offset,
           'batch' AS source
    FROM batches AS b
    ASOF LEFT JOIN oldest AS t
        ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.base_offset >= t.from_offset
    LEFT JOIN lives AS l ON b.cluster = l.cluster AND b.topic = l.topic AND b.partition = l.partition
    -- A checkpoint says where the log began when the files were read; before that it is not known.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, min(read_at) AS reached_at, log_start_offset, 'checkpoint' AS source
    FROM logs WHERE log_start_offset IS NOT NULL
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, min(read_at) AS reached_at, high_watermark, 'replication' AS source
    FROM logs WHERE high_watermark IS NOT NULL
    GROUP BY ALL
    -- An empty segment is the last of its log: the log ends where the file's name says.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, min(read_at) AS reached_at, base_offset AS log_end_offset, 'segment' AS source
    FROM logs WHERE size_bytes = 0
    GROUP BY ALL
    -- A consumer sees a log up to its high watermark; by the time of the sample it had come so far.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, sampled_at AS reached_at, log_start_offset, high_watermark AS log_end_offset,
           high_watermark, last_stable_offset, 'live' AS source
    FROM raw.log_samples
    WHERE topic <> '__consumer_offsets' AND (high_watermark IS NOT NULL OR log_start_offset IS NOT NULL)
)
SELECT cluster, topic, partition, topic_id, reached_at, log_start_offset, log_end_offset, high_watermark,
       last_stable_offset, source
FROM said
