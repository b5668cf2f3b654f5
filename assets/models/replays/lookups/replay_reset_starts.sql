-- The keys that were set back, or set anew after a removal, with what is remembered of the last of their commits,
-- unless all of their commits are looked up: its number, its stretch, the lowest offset until then, and where it took
-- effect.
WITH last_commits AS (
    SELECT
        k.key, max(number) AS number, arg_max(stretch, number) AS stretch,
        arg_max(coalesce(lowest_offset, -9223372036854775808), number) AS lowest_offset,
        arg_max(effective_log_offset, number) AS last_position
    FROM earlier_reset_commits
    JOIN
        (FROM replay_keys ANTI JOIN (FROM replay_searched_keys WHERE is_whole) USING (key)) AS k
        USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
)
SELECT
    k.key, k.grp, coalesce(c.number + 1, 0) AS number, coalesce(c.stretch, 0) AS stretch,
    coalesce(c.lowest_offset, -9223372036854775808) AS lowest_offset,
    coalesce(c.last_position, -9223372036854775808) AS last_position
FROM replay_reset_keys AS k LEFT JOIN last_commits AS c USING (key)
ORDER BY key
