-- The state of a group (NULL: of all groups) at an instant, by what was last written or logged of it before: without
-- those that have offsets alone, of which group_states_at tells. Where a hole in the log lies before the next record,
-- another may be hidden in it.
SELECT
    cluster,
    log_partition,
    group_id,
    group_type,
    state,
    generation,
    assignment_epoch,
    member_count,
    from_at,
    source,
    reason,
    (
        NOT is_gap_free AND (to_log_offset IS NOT NULL AND log_offset < hidden_to OR group_type = 'zookeeper')
    ) IS NOT TRUE AS is_known,
    log_offset
FROM core.group_states
LEFT JOIN _gaps_at(ts) USING (cluster, log_partition)
WHERE
    (grp IS NULL OR group_id = grp)
    AND coalesce(from_at <= ts, ts = 'infinity'::TIMESTAMPTZ)
    AND (coalesce(to_log_offset, epoch_us(to_at)) IS NULL OR to_at > ts)
QUALIFY row_number() OVER (
    PARTITION BY cluster, log_partition, group_id
    ORDER BY log_offset DESC NULLS LAST, line IS NULL, from_at DESC, generation DESC, line DESC
) = 1
