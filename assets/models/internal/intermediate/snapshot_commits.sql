-- The commits that stand at each instant of the grid that is missing.
WITH commit_spans AS (
    SELECT *, sum(commits) OVER log AS through, max(place) OVER log AS highest_place
    FROM snapshot_steps
    WINDOW log AS (PARTITION BY cluster, group_id, topic, partition ORDER BY step)
),
-- The steps behind which there are no more than nine commits have the last ten. A coordinator's clock may step back:
-- what comes earlier in the log then never replaces what is behind it.
replacements AS (
    SELECT
        cluster, group_id, topic, partition, from_step, step, last,
        coalesce(seed_ten_from, min(first_log_offset) OVER (
            PARTITION BY cluster, group_id, topic, partition ORDER BY through RANGE BETWEEN 9 PRECEDING AND CURRENT ROW
        )) AS ten_from_log_offset
    FROM commit_spans
    QUALIFY place = highest_place
),
standing_commits AS (
    SELECT
        *, lead(step, 1, last_us // step_us + 1) OVER (
            PARTITION BY cluster, group_id, topic, partition ORDER BY step
        ) AS until_step
    FROM replacements CROSS JOIN snapshot_times
)
SELECT
    cluster, group_id, topic, partition, unnest(last), ten_from_log_offset,
    unnest(range(greatest(step, from_step), until_step)) AS instant
FROM standing_commits
