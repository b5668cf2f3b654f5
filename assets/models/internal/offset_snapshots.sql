-- The offset store at each instant of a regular grid. The step is the shortest of the usual ones with which all stores
-- together have at most an eighth of the rows of core.commits (and 65,536 in any case), and there are at most 1,000.
-- What a hole in the log leaves unknown of each is told as the macro state_at tells it of one instant.
-- The grid reaches over the times at which half of all was committed, and over those that are not twenty times as far away from
-- them as they are apart, and a month: a record of a wrong year would draw it out until all groups fell between its instants. Nor
-- does it reach minutes behind the last reading. What stands at its instants does not depend on where these are.
WITH days AS (
    SELECT epoch_us(effective_at) // 86400000000 AS day, count(*) AS commits FROM core.commits WHERE effective_at IS NOT NULL GROUP BY ALL
),
bulk_keys AS (
    SELECT (first_day - 30 - 20 * (last_day + 1 - first_day)) * 86400000000 AS from_us,
           (last_day + 31 + 20 * (last_day + 1 - first_day)) * 86400000000 AS to_us
    FROM (
        SELECT min(day) AS first_day, max(day) AS last_day
        FROM (SELECT day, commits, sum(commits) OVER (ORDER BY day) AS through, sum(commits) OVER () AS total FROM days)
        WHERE 4 * through >= total AND 4 * (through - commits) <= 3 * total
    )
),
gap_ends AS (
    SELECT from_us, to_us, least(to_us, (SELECT epoch_us(max(read_at) + INTERVAL 5 MINUTE) FROM raw.segments)) AS until_us FROM bulk_keys
),
record_times AS (
    SELECT count(*) AS commits, min(us) FILTER (us BETWEEN from_us AND to_us) AS first_us,
           coalesce(max(us) FILTER (us BETWEEN from_us AND until_us), max(us) FILTER (us BETWEEN from_us AND to_us)) AS last_us,
           approx_count_distinct((cluster, group_id, topic, partition)) AS keys
    FROM (SELECT *, epoch_us(effective_at) AS us FROM core.commits), gap_ends
),
snapshot_needs AS (
    SELECT first_us, last_us, (last_us - first_us) / 1e6 / nullif(least(1000, greatest(commits // 8, 65536) // keys), 0) AS seconds
    FROM record_times WHERE keys > 0
),
grid AS (
    SELECT first_us, last_us, 1000000 * coalesce(
        list_filter(
            [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 28800, 43200, 86400, 172800,
             259200, 345600, 604800],
            lambda usual: usual >= seconds
        )[1],
        604800 * ceil(seconds / 604800)::BIGINT
    ) AS step_us
    FROM snapshot_needs WHERE seconds IS NOT NULL
),
newest_times AS (
    SELECT cluster, group_id, topic, partition, (greatest(epoch_us(effective_at), first_us) + step_us - 1) // step_us AS step,
           arg_max(
               {'kind': kind, 'committed_offset': committed_offset, 'effective_at': effective_at, 'commit_at': commit_at,
                'leader_epoch': leader_epoch, 'metadata': metadata, 'log_partition': log_partition,
                'log_offset': log_offset, 'effective_log_offset': effective_log_offset},
               effective_log_offset::HUGEINT * 9223372036854775808 + log_offset
           ) AS last,
           max(effective_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS place,
           count_if(kind <> 'removed') AS commits, min(effective_log_offset) FILTER (kind <> 'removed') AS first_log_offset
    FROM core.commits, grid
    WHERE effective_at IS NOT NULL AND epoch_us(effective_at) <= last_us // step_us * step_us
    GROUP BY ALL
),
commit_spans AS (
    SELECT *, sum(commits) OVER log AS through, max(place) OVER log AS highest_place
    FROM newest_times
    WINDOW log AS (PARTITION BY cluster, group_id, topic, partition ORDER BY step)
),
-- The steps behind which there are no more than nine commits have the last ten. A coordinator's clock may step back: what
-- comes earlier in the log then never replaces what is behind it.
replacements AS (
    SELECT cluster, group_id, topic, partition, step, last,
           min(first_log_offset) OVER (
               PARTITION BY cluster, group_id, topic, partition ORDER BY through RANGE BETWEEN 9 PRECEDING AND CURRENT ROW
           ) AS ten_from_log_offset
    FROM commit_spans
    QUALIFY place = highest_place
),
standing_commits AS (
    SELECT *, lead(step, 1, last_us // step_us + 1) OVER (
        PARTITION BY cluster, group_id, topic, partition ORDER BY step
    ) AS until_step
    FROM replacements, grid
),
stores AS (
    SELECT cluster, group_id, topic, partition, unnest(last), ten_from_log_offset, unnest(range(step, until_step)) AS instant
    FROM standing_commits
),
-- Up to where holes reach that may hide something of before each instant, and until when a later commit says that one does.
reached_positions AS (
    SELECT DISTINCT cluster, log_partition, instant,
           max(to_log_offset) OVER (PARTITION BY cluster, log_partition ORDER BY instant) AS hidden_to,
           max(to_log_offset) FILTER (is_damage) OVER (PARTITION BY cluster, log_partition) AS damaged_to
    FROM (
        SELECT cluster, log_partition, to_log_offset, is_damage,
               if(from_at IS NULL, -1, (epoch_us(least(from_at, to_at)) + step_us - 1) // step_us) AS instant
        FROM core.log_gaps, grid
        UNION ALL BY NAME
        SELECT cluster, log_partition, unnest(range(first_us // step_us, last_us // step_us + 1)) AS instant
        FROM (SELECT DISTINCT cluster, log_partition FROM core.log_gaps), grid
    )
),
hidden_keys AS (
    SELECT cluster, group_id, topic, partition, max((epoch_us(effective_at) + step_us - 1) // step_us) AS until_instant
    FROM internal.commits_after_gaps, grid
    GROUP BY ALL
)
SELECT make_timestamptz(instant * step_us) AS taken_at, cluster, group_id, topic, partition, kind, committed_offset,
       effective_at, commit_at, leader_epoch, metadata, log_partition, log_offset, effective_log_offset, ten_from_log_offset,
       (log_offset < hidden_to AND (until_instant > instant OR log_offset < damaged_to)) IS NOT TRUE AS is_known
FROM stores
LEFT JOIN reached_positions USING (cluster, log_partition, instant)
LEFT JOIN hidden_keys USING (cluster, group_id, topic, partition)
CROSS JOIN grid
ORDER BY taken_at, log_partition, group_id, topic, partition
