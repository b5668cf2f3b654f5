-- Commits that set a group back, or that follow a removal; whether an admin made them, and why the offset was removed.
-- Who sets one anew after its removal, as far as it stood or farther, sets nothing back.
WITH removals AS (
    SELECT k.cluster, k.log_partition, k.group_id, k.topic, k.partition, c.* EXCLUDE (key)
    FROM replay_reset_commits AS c JOIN replay_reset_keys AS k USING (key)
    WHERE c.kind = 'removed'
)
FROM (
    SELECT
        *, state = 'Empty' AND NOT is_transactional AND commits_in_state <= 2 AND leader_epoch IS NULL
        AND coalesce(written_by = 'admin', TRUE) AS is_by_admin
    FROM offset_resets
    LEFT JOIN (
        SELECT cluster, log_partition, log_offset AS removal_log_offset, cause AS removed_for
        FROM _removal_causes_of('removals')
    ) USING (cluster, log_partition, removal_log_offset)
)
WHERE (is_by_admin AND is_after_removal AND committed_offset >= previous_offset) IS NOT TRUE
