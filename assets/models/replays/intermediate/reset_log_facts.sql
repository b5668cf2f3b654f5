-- How the data log of each reset had come at the instants that matter, and whether it is still the log that was read.
WITH divergences AS (
    SELECT cluster, topic, partition, min(base_offset) AS diverged_from, max(max_timestamp_ms) AS rewritten_ms
    FROM raw.diverged_batches GROUP BY ALL
),
last_starts AS (
    SELECT log, max(log_start_offset) AS begins
    FROM core.log_ends JOIN replay_logs USING (cluster, topic, partition)
    WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
    GROUP BY ALL
),
first_offsets AS (SELECT log, min(base_offset) AS first_offset FROM replay_batches GROUP BY ALL)
SELECT
    t.cluster, t.log_partition, t.log_offset, u.log_start, u.log_end, r.log_start AS removed_log_start, f.first_offset,
    coalesce(u.is_later AND u.log_end < t.previous_offset, FALSE) AS is_another_log,
    if(is_another_log, NULL, u.log_end) AS known_end,
    if(r.is_later AND r.log_end < t.previous_offset, NULL, r.log_end) AS removed_log_end,
    least(m.log_end, r.log_end) AS same_to,
    b.log_end >= t.previous_offset AND NOT b.is_later AS was_there, d.diverged_from,
    s.begins AS last_log_start, l.latest_at > t.previous_at AS is_other_life,
    NOT is_another_log
    AND (
        coalesce(
            m.log_end < t.previous_offset OR r.log_end < t.previous_offset AND b.log_end < t.previous_offset, FALSE
        )
        OR coalesce(
            d.diverged_from < t.previous_offset
            AND (b.log_end < t.previous_offset OR d.rewritten_ms > epoch_ms(t.previous_at)), FALSE
        )
    ) AS is_cut
FROM (FROM replay_reset_causes JOIN replay_logs USING (cluster, topic, partition)) AS t
LEFT JOIN replay_bounds AS u ON u.log = t.log AND u.occurred_at = t.effective_at
LEFT JOIN replay_bounds AS r ON r.log = t.log AND r.occurred_at = t.removed_at
LEFT JOIN replay_bounds AS m ON m.log = t.log AND m.occurred_at = t.previous_at + INTERVAL 1 MINUTE
LEFT JOIN replay_bounds AS b ON b.log = t.log AND b.occurred_at = t.previous_at
LEFT JOIN divergences AS d ON d.cluster = t.cluster AND d.topic = t.topic AND d.partition = t.partition
LEFT JOIN last_starts AS s ON s.log = t.log
LEFT JOIN first_offsets AS f ON f.log = t.log
LEFT JOIN _topic_lives() AS l ON l.cluster = t.cluster AND l.topic = t.topic
