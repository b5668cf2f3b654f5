-- The keys that were set back, or set anew after a removal, with what is remembered of the last of their commits, unless
-- they are searched from the first one on: its number, its stretch, and the lowest offset until then.
WITH last_commits AS (
    SELECT
        k.key, max(number) AS number, arg_max(stretch, number) AS stretch,
        arg_max({ 'offset': lowest_offset }, number).offset AS lowest_offset
    FROM earlier_reset_commits
    JOIN
        (FROM replay_keys ANTI JOIN replay_searched_keys USING (key)) AS k
        USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
)
SELECT
    k.key, k.grp, coalesce(c.number + 1, 0) AS number, coalesce(c.stretch, 0) AS stretch,
    coalesce(c.lowest_offset, -9223372036854775808) AS lowest_offset
FROM replay_reset_keys AS k LEFT JOIN last_commits AS c USING (key)
ORDER BY key
