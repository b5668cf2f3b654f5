-- Offsets that were set forward while the group had no members.
SELECT
    m.*, 'set_forward' AS claim_kind, coalesce(m.previous_offset, f.removed_offset) AS possible_from,
    m.committed_offset AS possible_to, f.removal_log_offset, s.is_in_segment, s.expires_at,
    if(m.state = 'Empty' AND m.actor = 'admin', 'admin_reset', 'unknown') AS else_cause,
    if(s.log_start_offset IS NULL, else_cause, 'log_start') AS cause
FROM memberless_moves AS m
LEFT JOIN commits_after_removal AS f USING (cluster, log_partition, log_offset)
LEFT JOIN log_start_history AS s
    ON
        s.cluster = m.cluster AND s.topic = m.topic AND s.partition = m.partition
        AND s.log_start_offset = m.committed_offset
        AND s.log_start_offset > 0
