-- The instants of the grid: over the times at which half of all was committed, and those that are not twenty times as
-- far away. The step is a power of two of seconds, so that a coarser grid is a part of a finer one: the shortest with
-- which all stores together have at most a fourth of the rows of core.commits (and 65,536 in any case), and there are
-- not more than 1,025. Commits, keys and range count as powers of two, each by itself: it changes when one of them has
-- doubled.
WITH days AS (
    SELECT epoch_us(effective_at) // 86400000000 AS day, count(*) AS commits
    FROM core.commits
    WHERE effective_at IS NOT NULL
    GROUP BY ALL
),
bulk_range AS (
    SELECT
        (first_day - 30 - 20 * (last_day + 1 - first_day)) * 86400000000 AS from_us,
        (last_day + 31 + 20 * (last_day + 1 - first_day)) * 86400000000 AS to_us
    FROM (
        SELECT min(day) AS first_day, max(day) AS last_day
        FROM (SELECT day, commits, sum(commits) OVER (ORDER BY day) AS through, sum(commits) OVER () AS total FROM days)
        WHERE 4 * through >= total AND 4 * (through - commits) <= 3 * total
    )
),
time_limits AS (
    SELECT
        from_us, to_us, least(to_us, (SELECT epoch_us(max(read_at) + INTERVAL 5 MINUTE) FROM raw.segments)) AS until_us
    FROM bulk_range
),
record_times AS (
    SELECT
        min(us) FILTER (us BETWEEN from_us AND to_us) AS first_us,
        coalesce(max(us) FILTER (us BETWEEN from_us AND until_us), max(us) FILTER (us BETWEEN from_us AND to_us))
            AS last_us
    FROM (SELECT *, epoch_us(effective_at) AS us FROM core.commits), time_limits
),
sizes AS (
    SELECT sum(commits)::BIGINT AS commits, count(*) AS keys
    FROM (
        SELECT sum(commits + removals) AS commits
        FROM internal.committed_partitions GROUP BY cluster, group_id, topic, partition
    )
),
limits AS (
    SELECT
        first_us, last_us, least(10, floor(log2(greatest(commits // 4, 65536))) - ceil(log2(keys))) AS steps_log2,
        ceil(log2(greatest(last_us - first_us, 1000000) / 1e6)) AS seconds_log2
    FROM record_times CROSS JOIN sizes
    WHERE keys > 0 AND first_us IS NOT NULL
)
SELECT first_us, last_us, 1000000 * (1::BIGINT << greatest(seconds_log2 - steps_log2, 0)::INTEGER) AS step_us
FROM limits
WHERE steps_log2 >= 0
