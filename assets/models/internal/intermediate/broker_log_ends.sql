-- The log ends that brokers and files name without a batch.
SELECT e.cluster, e.topic, e.partition, e.source, e.reached_at, e.log_end_offset, s.last_stable_offset
FROM core.log_ends AS e
LEFT JOIN raw.log_offset_samples AS s
    ON
        s.cluster = e.cluster AND s.topic = e.topic AND s.partition = e.partition AND s.sampled_at = e.reached_at
        AND e.source = 'live' AND s.high_watermark = e.log_end_offset
WHERE
    e.source <> 'batch' AND e.log_end_offset IS NOT NULL AND e.until_at IS NULL
    AND coalesce(e.topic BETWEEN getvariable('from_topic') AND getvariable('to_topic'), TRUE)
