-- The batches of data logs that no other leader overwrote, with their times; of some topics where variables name the
-- first and the last.
SELECT
    cluster, topic, partition, base_offset, last_offset, size_bytes, segment_base_offset, record_count, producer_id,
    is_transactional, is_control, control_type, is_log_append_time,
    if(base_timestamp_ms BETWEEN 0 AND 253402300799999, make_timestamptz(base_timestamp_ms * 1000), NULL) AS base_at,
    if(max_timestamp_ms BETWEEN 0 AND 253402300799999, make_timestamptz(max_timestamp_ms * 1000), NULL) AS max_at
FROM log_batches()
WHERE
    lost_to IS NULL AND last_offset >= base_offset AND last_offset < 9223372036854775807
    AND coalesce(topic BETWEEN getvariable('from_topic') AND getvariable('to_topic'), TRUE)
