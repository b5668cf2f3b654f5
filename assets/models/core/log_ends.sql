-- How far the log of each data partition reached, and where it began, over time: a row per batch, and what checkpoints,
-- empty segments and brokers say. A log's end moves with every batch; its time is the largest timestamp so far, for
-- producers' clocks run apart. Where a log lost its end to another leader, or a topic its life, what was so ends.
WITH lives AS (
    SELECT cluster, topic, partition, any_value(topic_id) AS topic_id
    FROM (
        SELECT cluster, topic, partition, topic_id FROM raw.segments WHERE topic_id IS NOT NULL
        UNION ALL
        SELECT cluster, topic, partition, topic_id FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
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
        FROM log_batches() WHERE is_transactional AND lost_to IS NULL
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
    SELECT cluster, topic, partition, base_offset, leader_epoch,
           CASE WHEN last_offset < 9223372036854775807 THEN last_offset + 1 END AS log_end_offset,
           max(max_timestamp_ms) OVER log AS reached_ms, bool_and(follows) OVER log AS is_gap_free
    FROM (
        SELECT *, base_offset <= coalesce(lag(last_offset) OVER log, -1) + 1 AS follows
        FROM log_batches() WHERE lost_to IS NULL
        WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
    )
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
),
-- An end that was lost was there as long as its leader gave signs, and gone when the one that it was lost to did. Nobody
-- can tell when in between.
lost AS MATERIALIZED (
    SELECT cluster, topic, partition, leader_epoch, lost_to, last_offset + 1 AS log_end_offset,
           max(max_timestamp_ms) OVER (
               PARTITION BY cluster, topic, partition, leader_epoch ORDER BY base_offset
           ) AS reached_ms
    FROM log_batches() WHERE lost_to IS NOT NULL AND last_offset < 9223372036854775807
),
signs AS (
    SELECT cluster, topic, partition, leader_epoch, reached_ms AS sign_ms
    FROM (FROM batches UNION ALL BY NAME FROM lost) SEMI JOIN lost USING (cluster, topic, partition)
    UNION ALL
    SELECT cluster, topic, partition, leader_epoch, epoch_ms(sampled_at) FROM raw.log_offset_samples
),
losses AS (
    SELECT l.cluster, l.topic, l.partition, l.leader_epoch,
           1 + max(s.sign_ms) FILTER (s.leader_epoch = l.leader_epoch) AS held_ms,
           min(s.sign_ms) FILTER (s.leader_epoch >= l.lost_to) AS lost_ms
    FROM (SELECT cluster, topic, partition, leader_epoch, min(lost_to) AS lost_to FROM lost GROUP BY ALL) AS l
    JOIN signs AS s USING (cluster, topic, partition)
    GROUP BY ALL
),
-- A topic that was made anew answers by another id.
ended AS (
    SELECT *, lead(first_at) OVER (PARTITION BY cluster, topic, partition ORDER BY first_at) AS ended_at
    FROM (
        SELECT cluster, topic, partition, topic_id, min(sampled_at) AS first_at
        FROM raw.log_offset_samples WHERE topic_id IS NOT NULL
        GROUP BY ALL
    )
),
logs AS (FROM raw.segments WHERE topic <> '__consumer_offsets'),
-- A look back in time sorts all that passes through it: so only logs with transactions do.
held AS (
    SELECT b.*, t.marker, t.first_offset
    FROM (FROM batches SEMI JOIN oldest USING (cluster, topic, partition)) AS b
    ASOF LEFT JOIN oldest AS t
        ON b.cluster = t.cluster AND b.topic = t.topic AND b.partition = t.partition AND b.base_offset >= t.from_offset
    UNION ALL BY NAME
    FROM batches ANTI JOIN oldest USING (cluster, topic, partition)
),
said AS (
    -- Over a hole nobody knows which transactions were open.
    SELECT b.cluster, b.topic, b.partition, l.topic_id,
           _instant_of(b.reached_ms) AS reached_at, NULL::TIMESTAMPTZ AS until_at, NULL AS log_start_offset,
           b.log_end_offset, NULL AS high_watermark,
           CASE WHEN NOT b.is_gap_free THEN NULL WHEN b.base_offset < b.marker THEN b.first_offset ELSE b.log_end_offset END
               AS last_stable_offset,
           'batch' AS source
    FROM held AS b
    LEFT JOIN lives AS l ON b.cluster = l.cluster AND b.topic = l.topic AND b.partition = l.partition
    UNION ALL BY NAME
    SELECT l.cluster, l.topic, l.partition, i.topic_id, _instant_of(l.reached_ms) AS reached_at,
           _instant_of(least(x.held_ms, x.lost_ms)) AS until_at, l.log_end_offset, 'batch' AS source
    FROM lost AS l
    JOIN losses AS x USING (cluster, topic, partition, leader_epoch)
    LEFT JOIN lives AS i ON l.cluster = i.cluster AND l.topic = i.topic AND l.partition = i.partition
    UNION ALL BY NAME
    SELECT cluster, topic, partition, _instant_of(held_ms) AS reached_at,
           if(count(*) = count(lost_ms), _instant_of(max(lost_ms)), NULL) AS until_at, 'gap' AS source
    FROM losses WHERE coalesce(held_ms < lost_ms, TRUE)
    GROUP BY cluster, topic, partition, held_ms
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
    FROM logs WHERE size_bytes = 0 AND file_suffix IS NULL
    GROUP BY ALL
    -- A consumer sees a log up to its high watermark; by the time of the sample it had come so far.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, topic_id, sampled_at AS reached_at, log_start_offset, high_watermark AS log_end_offset,
           high_watermark, last_stable_offset, 'live' AS source
    FROM raw.log_offset_samples
    WHERE topic <> '__consumer_offsets' AND (high_watermark IS NOT NULL OR log_start_offset IS NOT NULL)
)
SELECT cluster, topic, partition, topic_id, reached_at, least(until_at, ended_at) AS until_at, log_start_offset,
       log_end_offset, high_watermark, last_stable_offset, source
FROM said LEFT JOIN ended USING (cluster, topic, partition, topic_id)
WHERE coalesce(reached_at < least(until_at, ended_at), TRUE)
ORDER BY cluster, topic, partition, reached_at, log_end_offset, source
