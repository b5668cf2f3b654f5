-- The offset store as the last record read left it.
SELECT
    cluster,
    group_id,
    topic,
    partition,
    current_offset,
    is_known,
    last_seen_offset,
    effective_at,
    commit_at,
    leader_epoch,
    metadata, log_partition, log_offset
FROM state_at('infinity'::TIMESTAMPTZ)
ORDER BY ALL
