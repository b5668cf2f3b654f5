-- Of groups whose older stores stay: what stands at the last instant before those that are missing, as the table has
-- it, and from which log offset on the last ten commits before it are.
WITH unit_steps AS (
    SELECT
        cluster, log_partition, group_id, (epoch_us(from_at) + step_us - 1) // step_us AS from_step,
        make_timestamptz((from_step - 1) * step_us) AS taken_at
    FROM frontiers CROSS JOIN snapshot_times
    WHERE from_at IS NOT NULL
)
SELECT
    cluster, group_id, topic, partition, from_step, s.* EXCLUDE (cluster, group_id, topic, partition, is_known),
    coalesce(ten_from_log_offset, effective_log_offset) AS counted_from,
    (greatest(epoch_us(effective_at), first_us) + step_us - 1) // step_us AS seed_step
FROM internal.offset_snapshots AS s
JOIN unit_steps USING (cluster, log_partition, group_id, taken_at)
CROSS JOIN snapshot_times
