-- The window of the last ten commits of each committed partition at an instant, with the lag at each, and its log ends,
-- looked at every ten seconds, as Burrow does by default.
WITH newest_commits AS (FROM _newest_commits(ts, grp := grp)),
asked_partitions AS (
    SELECT cluster, topic, partition, min(effective_at) AS from_at FROM newest_commits GROUP BY ALL
),
-- Log ends before the first that is asked for stand at that instant.
ends AS (
    SELECT
        cluster, topic, partition, reached_at,
        max(log_end_offset) OVER (PARTITION BY cluster, topic, partition ORDER BY reached_at) AS log_end_offset
    FROM (
        SELECT
            cluster,
            topic,
            partition,
            greatest(e.reached_at, least(a.from_at, ts::TIMESTAMPTZ - to_seconds(90))) AS reached_at,
            max(e.log_end_offset) AS log_end_offset
        FROM core.log_ends AS e
        JOIN asked_partitions AS a USING (cluster, topic, partition)
        WHERE
            e.topic BETWEEN (SELECT min(topic) FROM asked_partitions) AND (SELECT max(topic) FROM asked_partitions)
            AND e.reached_at <= ts
            AND e.log_end_offset IS NOT NULL
            AND (e.until_at > ts OR e.until_at IS NULL)
        GROUP BY ALL
    )
),
end_bounds AS (
    SELECT cluster, topic, partition, from_at, to_at
    FROM core.log_end_bounds SEMI JOIN asked_partitions USING (cluster, topic, partition)
    WHERE
        topic BETWEEN (SELECT min(topic) FROM asked_partitions) AND (SELECT max(topic) FROM asked_partitions)
        AND from_at <= ts
        AND (has_commits OR ts < 'infinity'::TIMESTAMPTZ)
),
windows AS (
    SELECT
        c.cluster, c.group_id, c.topic, c.partition, any_value(c.log_partition) AS log_partition,
        list({
            'log_offset': c.log_offset, 'committed_at': c.effective_at, 'committed_offset': c.committed_offset,
            'lag': if(c.is_bounded, NULL, _offsets_left(c.committed_offset, e.log_end_offset))
        } ORDER BY c.effective_log_offset, c.log_offset) AS commits,
        NOT bool_or(c.is_bounded) AS is_exact
    FROM (
        SELECT n.*, coalesce(b.to_at > n.effective_at, b.from_at IS NOT NULL) AS is_bounded
        FROM newest_commits AS n
        ASOF LEFT JOIN end_bounds AS b
            ON n.cluster = b.cluster AND n.topic = b.topic AND n.partition = b.partition AND n.effective_at >= b.from_at
    ) AS c
    ASOF LEFT JOIN ends AS e
        ON c.cluster = e.cluster AND c.topic = e.topic AND c.partition = e.partition AND c.effective_at >= e.reached_at
    GROUP BY ALL
),
look_times AS (
    SELECT cluster, topic, partition, unnest(range(10)) AS steps, ts::TIMESTAMPTZ - to_seconds(10 * steps) AS looked_at
    FROM asked_partitions
),
looks AS (
    SELECT
        w.cluster, w.topic, w.partition, NOT bool_or(w.is_bounded) AS are_exact,
        list(if(w.is_bounded, NULL, e.log_end_offset) ORDER BY w.looked_at) AS ends
    FROM (
        SELECT l.*, coalesce(b.to_at > l.looked_at, b.from_at IS NOT NULL) AS is_bounded
        FROM look_times AS l
        ASOF LEFT JOIN end_bounds AS b
            ON l.cluster = b.cluster AND l.topic = b.topic AND l.partition = b.partition AND l.looked_at >= b.from_at
    ) AS w
    ASOF LEFT JOIN ends AS e
        ON w.cluster = e.cluster AND w.topic = e.topic AND w.partition = e.partition AND w.looked_at >= e.reached_at
    GROUP BY ALL
)
SELECT
    cluster, group_id, topic, partition, log_partition, commits, ends, is_exact AND are_exact AS is_exact,
    list_transform(commits, LAMBDA c: c.committed_offset) AS offsets,
    list_transform(commits, LAMBDA c: epoch_ms(c.committed_at)) AS times_ms,
    list_transform(commits, LAMBDA c: c.lag) AS lags
FROM windows JOIN looks USING (cluster, topic, partition)
