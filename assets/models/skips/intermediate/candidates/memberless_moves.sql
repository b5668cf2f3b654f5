-- Commits that set an offset forward, or for the first time, while the group had no members. A client that commits more
-- often than an admin would reads without a group.
SELECT
    c.*, m.state, m.state_log_offset, m.state_at, m.is_state_whole, count(*) OVER state AS commits_in_state,
    count_if(c.kind IN ('advance', 'first')) OVER state AS moves
FROM _commit_steps() AS c
JOIN _cardinality_hint('memberless_periods') AS m
    ON
        m.cluster = c.cluster AND m.log_partition = c.log_partition AND m.group_id = c.group_id
        AND m.bin = c.effective_log_offset >> 16 AND m.state_log_offset < c.effective_log_offset
        AND coalesce(c.effective_log_offset < m.next_log_offset, TRUE)
WHERE c.kind <> 'removed' AND c.is_transactional IS DISTINCT FROM TRUE
WINDOW state AS (PARTITION BY c.cluster, c.log_partition, c.group_id, c.topic, c.partition, m.state_log_offset)
QUALIFY moves <= 3 AND c.kind IN ('advance', 'first')
