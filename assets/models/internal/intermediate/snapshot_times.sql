-- The instants of the grid: over the times at which half of all was committed, and those that are not twenty times as
-- far away.
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
        count(*) AS commits, min(us) FILTER (us BETWEEN from_us AND to_us) AS first_us,
        coalesce(max(us) FILTER (us BETWEEN from_us AND until_us), max(us) FILTER (us BETWEEN from_us AND to_us))
            AS last_us,
        approx_count_distinct((cluster, group_id, topic, partition)) AS keys
    FROM (SELECT *, epoch_us(effective_at) AS us FROM core.commits), time_limits
),
snapshot_needs AS (
    SELECT
        first_us,
        last_us,
        (last_us - first_us) / 1e6 / nullif(least(1000, greatest(commits // 8, 65536) // keys), 0) AS seconds
    FROM record_times WHERE keys > 0
)
SELECT
    first_us, last_us, 1000000 * coalesce(
        list_filter(
            [
                1,
                2,
                5,
                10,
                15,
                30,
                60,
                120,
                300,
                600,
                900,
                1800,
                3600,
                7200,
                10800,
                14400,
                21600,
                28800,
                43200,
                86400,
                172800,
                259200, 345600, 604800
            ],
            LAMBDA usual: usual >= seconds
        )[1],
        604800 * ceil(seconds / 604800)::BIGINT
    ) AS step_us
FROM snapshot_needs WHERE seconds IS NOT NULL
