-- How far the log of each data partition reached, and where it began, over time: a row per batch, and what checkpoints,
-- empty segments and brokers say. A log's end moves with every batch; its time is the largest timestamp so far, for
-- producers' clocks run apart. Where a log lost its end to another leader, or a topic its life, what was so ends.
WITH topic_ids AS (
    SELECT cluster, topic, partition, any_value(topic_id) AS topic_id
    FROM (
        SELECT cluster, topic, partition, topic_id FROM raw.segments WHERE topic_id IS NOT NULL
        UNION ALL
        SELECT cluster, topic, partition, topic_id FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
    )
    GROUP BY ALL HAVING count(DISTINCT topic_id) = 1
),
-- A topic that was made anew answers by another id.
topic_spans AS (
    SELECT *, lead(first_at) OVER (PARTITION BY cluster, topic, partition ORDER BY first_at) AS ended_at
    FROM (
        SELECT cluster, topic, partition, topic_id, min(sampled_at) AS first_at
        FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
        GROUP BY ALL
    )
),
data_segments AS (FROM raw.segments WHERE topic <> '__consumer_offsets'),
-- A look back in time sorts all that passes through it: so only logs with transactions do.
transactional_ends AS (
    SELECT b.*, t.marker, t.first_offset
    FROM (FROM batch_log_ends SEMI JOIN oldest_transactions USING (cluster, topic, partition)) AS b
    ASOF LEFT JOIN oldest_transactions AS t
        ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.base_offset >= t.from_offset
    UNION ALL BY NAME
    FROM batch_log_ends ANTI JOIN oldest_transactions USING (cluster, topic, partition)
),
log_points AS (
    -- Over a hole nobody knows which transactions were open.
    SELECT
        b.cluster, b.topic, b.partition, l.topic_id,
        _instant_of(b.reached_ms) AS reached_at, NULL::TIMESTAMPTZ AS until_at, NULL AS log_start_offset,
        b.log_end_offset, NULL AS high_watermark,
        CASE
            WHEN NOT b.is_gap_free THEN NULL WHEN b.base_offset < b.marker THEN b.first_offset ELSE b.log_end_offset
        END
            AS last_stable_offset,
        'batch' AS source
    FROM transactional_ends AS b
    LEFT JOIN topic_ids AS l ON b.cluster = l.cluster AND b.topic = l.topic AND b.partition = l.partition
    UNION ALL BY NAME
    SELECT
        l.cluster, l.topic, l.partition, i.topic_id, _instant_of(l.reached_ms) AS reached_at,
        _instant_of(least(x.held_ms, x.lost_ms)) AS until_at, l.log_end_offset, 'batch' AS source
    FROM lost_log_ends AS l
    JOIN log_losses AS x USING (cluster, topic, partition, leader_epoch)
    LEFT JOIN topic_ids AS i ON l.cluster = i.cluster AND l.topic = i.topic AND l.partition = i.partition
    UNION ALL BY NAME
    SELECT
        cluster, topic, partition, _instant_of(held_ms) AS reached_at,
        if(count(*) = count(lost_ms), _instant_of(max(lost_ms)), NULL) AS until_at, 'gap' AS source
    FROM log_losses WHERE coalesce(held_ms < lost_ms, TRUE)
    GROUP BY cluster, topic, partition, held_ms
    -- A checkpoint says where the log began when the files were read; before that it is not known.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, min(read_at) AS reached_at, log_start_offset, 'checkpoint' AS source
    FROM data_segments WHERE log_start_offset IS NOT NULL
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, min(read_at) AS reached_at, high_watermark, 'replication' AS source
    FROM data_segments WHERE high_watermark IS NOT NULL
    GROUP BY ALL
    -- An empty segment is the last of its log: the log ends where the file's name says.
    UNION ALL BY NAME
    SELECT
        cluster,
        topic,
        partition,
        topic_id,
        min(read_at) AS reached_at,
        base_offset AS log_end_offset,
        'segment' AS source
    FROM data_segments WHERE size_bytes = 0 AND file_suffix IS NULL
    GROUP BY ALL
    -- A consumer sees a log up to its high watermark; by the time of the sample it had come so far.
    UNION ALL BY NAME
    SELECT
        cluster,
        topic,
        partition,
        topic_id,
        sampled_at AS reached_at,
        log_start_offset,
        high_watermark AS log_end_offset,
        high_watermark, last_stable_offset, 'live' AS source
    FROM raw.log_offset_samples
    WHERE topic <> '__consumer_offsets' AND (high_watermark IS NOT NULL OR log_start_offset IS NOT NULL)
)
SELECT
    cluster, topic, partition, topic_id, reached_at, least(until_at, ended_at) AS until_at, log_start_offset,
    log_end_offset, high_watermark, last_stable_offset, source
FROM log_points LEFT JOIN topic_spans USING (cluster, topic, partition, topic_id)
WHERE coalesce(reached_at < least(until_at, ended_at), TRUE)
ORDER BY cluster, topic, partition, reached_at, log_end_offset, source
