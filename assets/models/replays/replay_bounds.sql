-- Where the logs began and ended at the instants that matter: before the first batch that came later. A log all of
-- which came later, and that begins below what was committed before, is another one, of the same name. Clocks differ by
-- seconds, so that a log is only found to be another one by what it held a minute later.
WITH asked_instants AS (
    SELECT DISTINCT log, occurred_at
    FROM (
        SELECT log, unnest([until_at, stopped_at, next_at]) AS occurred_at
        FROM replay_owner_ends
        JOIN replay_logs USING (cluster, topic, partition)
        UNION ALL
        SELECT log, unnest([effective_at, previous_at, previous_at + INTERVAL 1 MINUTE, removed_at])
        FROM replay_reset_causes JOIN replay_logs USING (cluster, topic, partition)
    )
    WHERE occurred_at IS NOT NULL
),
starts AS (
    SELECT log, reached_at, max(log_start_offset) OVER (PARTITION BY log ORDER BY reached_at) AS begins
    FROM core.log_ends JOIN replay_logs USING (cluster, topic, partition)
    WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
)
SELECT
    a.log, a.occurred_at, coalesce(s.begins, 0) AS log_start, greatest(n.begins, e.ends) AS log_end,
    e.ends IS NULL AND n.begins IS NOT NULL AS is_later
FROM asked_instants AS a
ASOF LEFT JOIN replay_log_ends AS e ON e.log = a.log AND e.reached_at <= a.occurred_at
ASOF LEFT JOIN replay_log_ends AS n ON n.log = a.log AND n.reached_at > a.occurred_at
ASOF LEFT JOIN starts AS s ON s.log = a.log AND s.reached_at <= a.occurred_at
