-- Every move of a start offset. That records were deleted first shows by a log start that was seen at the new offset.
WITH log_starts AS (
    SELECT cluster, topic, partition, log_start_offset FROM raw.segments WHERE log_start_offset > 0
    UNION
    SELECT cluster, topic, partition, log_start_offset FROM raw.log_offset_samples WHERE log_start_offset > 0
),
states AS (
    SELECT
        s.*, n.topic,
        lag(s.start_offset IGNORE NULLS) OVER share_partition AS any_start_before
    FROM core.share_states AS s LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
    WINDOW share_partition AS (
        PARTITION BY s.cluster, s.state_partition, s.group_id, s.topic_id, s.partition ORDER BY s.record_offset
    )
)
SELECT
    s.cluster, s.group_id, s.topic, s.topic_id, s.partition,
    coalesce(s.previous_start_offset, s.any_start_before) AS from_offset, s.start_offset AS to_offset,
    CASE
        WHEN NOT s.is_gap_free THEN 'unknown'
        WHEN s.is_new_epoch AND s.any_start_before IS NOT NULL THEN 'reset'
        WHEN s.previous_start_offset IS NULL AND s.any_start_before IS NOT NULL THEN 'unknown'
        WHEN s.previous_start_offset IS NULL THEN 'initialized'
        WHEN s.undelivered_offsets > 0 AND l.log_start_offset IS NOT NULL THEN 'records_deleted'
        WHEN s.undelivered_offsets > 0 THEN 'passed_undelivered'
        ELSE 'advanced'
    END AS cause,
    s.undelivered_offsets, s.state_epoch, s.written_at, s.state_partition, s.record_offset
FROM states AS s
LEFT JOIN log_starts AS l
    ON
        l.cluster = s.cluster AND l.topic = s.topic AND l.partition = s.partition
        AND l.log_start_offset = s.start_offset
WHERE
    s.start_offset IS NOT NULL
    AND (s.start_offset IS DISTINCT FROM s.any_start_before OR (s.is_new_epoch AND s.any_start_before IS NOT NULL))
ORDER BY s.cluster, s.state_partition, s.record_offset
