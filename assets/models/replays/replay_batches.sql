-- The batches of these logs.
SELECT
    log,
    base_offset,
    last_offset,
    base_timestamp_ms,
    max_timestamp_ms,
    size_bytes,
    record_count,
    producer_id,
    leader_epoch,
    is_transactional, is_control, control_type
FROM raw.batches JOIN replay_logs USING (cluster, topic, partition)
