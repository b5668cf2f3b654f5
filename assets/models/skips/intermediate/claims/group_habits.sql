-- What is known of the groups of candidates: until when they had members, their longest step in the topic, whether they
-- restarted at a log start, and the newest time of their cluster.
WITH member_periods AS (
    SELECT cluster, log_partition, group_id, max(coalesce(next_log_offset, 9223372036854775807)) AS members_to
    FROM group_periods WHERE NOT is_memberless GROUP BY ALL
),
-- A group that restarted at the log start once does so again.
restarts AS (
    SELECT DISTINCT cluster, group_id, topic FROM commits_after_removal WHERE committed_offset < removed_offset
),
newest_times AS (FROM _newest_of('skip_keys')),
candidates AS (SELECT DISTINCT cluster, log_partition, group_id, topic FROM skip_candidates)
SELECT c.*, w.members_to, g.longest, r.group_id IS NOT NULL AS is_restarted_low, n.newest_at
FROM candidates AS c
LEFT JOIN member_periods AS w USING (cluster, log_partition, group_id)
LEFT JOIN longest_steps AS g USING (cluster, group_id, topic)
LEFT JOIN restarts AS r USING (cluster, group_id, topic)
LEFT JOIN newest_times AS n USING (cluster)
