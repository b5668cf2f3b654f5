-- The commits that set keys back or came first, those around them, and the last two of each key, for the next run.
WITH lasting_numbers AS (
    SELECT key, unnest(range(number - 2, number + 2)) AS number FROM replay_reset_commits
    WHERE kind IN ('rewind', 'first')
    UNION
    SELECT key, unnest([last_number - 1, last_number]) AS number
    FROM (SELECT key, max(number) AS last_number FROM replay_reset_commits GROUP BY ALL)
)
SELECT k.cluster, k.log_partition, k.group_id, k.topic, k.partition, c.* EXCLUDE (key)
FROM (FROM replay_reset_commits SEMI JOIN lasting_numbers USING (key, number)) AS c
JOIN replay_reset_keys AS k USING (key)
