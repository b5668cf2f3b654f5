-- The commits before ends of ownership, for the next run.
SELECT DISTINCT
    cluster, log_partition, group_id, topic, partition, until_log_offset, from_log_offset, owned_log_offset,
    last_repeat_at, is_repeat_over, standing, last, is_read_between, own, own_at, interval_ms, step,
    stretch_position
FROM handovers
