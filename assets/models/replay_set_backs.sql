-- Commits that set a group back, or that follow a removal, and whether an admin made them. Who sets an offset anew after its
-- removal, as far as it stood or farther, sets nothing back.
FROM (
    SELECT *, state = 'Empty' AND NOT is_transactional AND commits_in_state <= 2 AND leader_epoch IS NULL
                  AND coalesce(written_by = 'admin', TRUE) AS is_by_admin
    FROM set_backs(from_log := getvariable('from_partition'), to_log := getvariable('to_partition'))
)
WHERE (is_by_admin AND is_after_removal AND committed_offset >= previous_offset) IS NOT TRUE
