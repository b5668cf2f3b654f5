-- How each group commits each partition, by the last 256 commits or so: the numbers, and the pattern that they make.
-- Where these begin is reckoned from the pace of the whole history, so that only they are put in order, by numbered
-- keys. The members of a group are of one client mostly, so that the pattern is that of all its partitions together,
-- but where nothing changes.
WITH histories AS MATERIALIZED (
    SELECT *, row_number() OVER () AS key, dense_rank() OVER (ORDER BY cluster, group_id) AS grp
    FROM (
        SELECT
            cluster, group_id, topic, partition, sum(commits)::BIGINT AS commits,
            max(last_commit_at) AS last_commit_at,
            max(commits_to) - (max(commits_to) - min(commits_from)) * least(256 / sum(commits), 1) AS looked_at_from
        FROM internal.committed_partitions
        WHERE commits > 0
        GROUP BY cluster, group_id, topic, partition
    )
),
recent_commits AS (
    SELECT
        h.key, c.log_offset, c.effective_log_offset, epoch_ms(c.effective_at) AS at_ms,
        c.kind IN ('advance', 'repeat', 'rewind') AS is_next, c.kind = 'repeat' AS is_repeat,
        if(c.kind = 'advance', c.delta, NULL) AS delta, c.is_transactional, c.batch_base_offset
    FROM core.commits AS c
    JOIN histories AS h USING (cluster, group_id, topic, partition)
    WHERE c.kind <> 'removed' AND c.effective_log_offset >= h.looked_at_from
),
-- A client that waits for an answer never has two commits in one batch.
commit_steps AS (
    SELECT
        c.key, c.is_next, c.is_repeat, c.delta, c.is_transactional,
        if(c.is_next, c.at_ms - lag(c.at_ms) OVER log, NULL) AS since_ms,
        NOT c.is_transactional AND c.batch_base_offset = lag(c.batch_base_offset) OVER log AS is_at_once
    FROM recent_commits AS c
    WINDOW log AS (PARTITION BY c.key ORDER BY c.effective_log_offset, c.log_offset)
),
step_measures AS (
    SELECT
        * EXCLUDE (since, went), since[1] AS interval_p50_ms, since[2] AS interval_p95_ms, went[1] AS offsets_p50,
        went[2] AS offsets_p95
    FROM (
        SELECT
            key, count(since_ms) FILTER (since_ms >= 0) AS intervals,
            quantile_disc(since_ms, [0.5, 0.95]) FILTER (since_ms >= 0) AS since,
            max(since_ms) FILTER (since_ms >= 0) AS interval_max_ms, quantile_disc(delta, [0.5, 0.95]) AS went,
            count_if(is_repeat) / nullif(count_if(is_next), 0) AS no_op_share,
            count_if(is_transactional) / nullif(count(is_transactional), 0) AS transactional_share,
            count_if(is_at_once) / nullif(count(is_at_once), 0) AS at_once_share
        FROM commit_steps
        GROUP BY ALL
    )
),
-- Timers are set to round numbers: hundreds of milliseconds, or halves of a second from one second on. What a loop
-- takes is none, however regular it is.
rounded_measures AS (
    SELECT grp, timer_ms, count(*) AS kept
    FROM (
        SELECT
            grp,
            since_ms,
            if(since_ms < 950, 100, 500) * round(since_ms / if(since_ms < 950, 100, 500))::BIGINT AS timer_ms
        FROM commit_steps JOIN histories USING (key)
        WHERE since_ms >= 95
    )
    WHERE abs(since_ms - timer_ms) <= if(since_ms < 950, greatest(5, 3 * timer_ms / 200), greatest(20, timer_ms / 100))
    GROUP BY ALL
),
timers AS (
    SELECT grp, arg_max(timer_ms, (kept, -timer_ms)) AS timer_ms, max(kept) AS kept FROM rounded_measures GROUP BY grp
),
groups AS (
    SELECT
        grp, count(since_ms) FILTER (since_ms >= 0) AS intervals,
        count_if(is_transactional) / nullif(count(is_transactional), 0) AS transactional_share,
        count_if(is_at_once) / nullif(count(is_at_once), 0) AS at_once_share,
        quantile_disc(delta, 0.5) AS offsets_p50, quantile_disc(delta, 0.95) AS offsets_p95
    FROM commit_steps JOIN histories USING (key)
    GROUP BY grp
),
patterns AS (
    SELECT grp, if(pattern = 'auto_commit', timer_ms, NULL) AS auto_commit_ms, pattern
    FROM (
        SELECT
            grp, timer_ms,
            CASE
                WHEN intervals < 10 THEN 'unknown'
                WHEN transactional_share > 0.5 THEN 'transactional'
                WHEN 3 * kept >= intervals AND NOT coalesce(offsets_p50 > 1 AND offsets_p50 = offsets_p95, FALSE)
                    THEN 'auto_commit'
                WHEN at_once_share >= 0.05 THEN 'asynchronous'
                WHEN offsets_p95 = 1 THEN 'per_record'
                WHEN offsets_p95 > 1 THEN 'per_batch'
                ELSE 'unknown'
            END AS pattern
        FROM groups LEFT JOIN timers USING (grp)
    )
)
SELECT
    cluster, group_id, topic, partition,
    if(intervals >= 10 AND no_op_share >= 0.95 AND coalesce(transactional_share <= 0.5, TRUE), 'idle', pattern)
        AS pattern,
    commits, intervals, interval_p50_ms, interval_p95_ms, interval_max_ms, offsets_p50, offsets_p95,
    no_op_share, transactional_share, at_once_share, auto_commit_ms,
    if(intervals >= 10, interval_p95_ms, NULL) AS at_risk_ms, if(intervals >= 10, offsets_p95, NULL) AS at_risk_offsets,
    last_commit_at
FROM step_measures JOIN histories USING (key) JOIN patterns USING (grp)
ORDER BY ALL
