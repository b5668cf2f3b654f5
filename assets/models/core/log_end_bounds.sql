-- While the end of a log is not known exactly: between which offsets it was. Ends only grow: the end before is the
-- lower bound, the next one the upper. What a consumer commits meanwhile raises the lower bound, for nobody reads
-- beyond the end; if it is beyond the next end, either of the two is wrong, and there is no upper bound. Nor is there
-- while a broker is asked.
WITH signs AS MATERIALIZED (
    SELECT
        *, CASE WHEN confirmed_at IS NOT NULL THEN confirmed_at + INTERVAL 1 MICROSECOND ELSE reached_at END AS open_at,
        row_number() OVER life AS number,
        lead(reached_at) OVER life AS next_at,
        lead(log_end_offset) OVER life AS next_end,
        lead(asked_at) OVER life AS next_asked_at,
        lead(offsets_read) OVER life - offsets_read = lead(log_end_offset) OVER life - log_end_offset AS is_read
    FROM _log_end_signs()
    WINDOW life AS (PARTITION BY cluster, topic, partition, until_at ORDER BY reached_at, log_end_offset)
),
stretches AS MATERIALIZED (
    SELECT
        cluster,
        topic,
        partition,
        open_at AS from_at,
        next_asked_at AS to_at,
        log_end_offset AS lower,
        next_end AS upper,
        FALSE AS is_last, TRUE AS is_sampled
    FROM signs WHERE open_at < next_asked_at AND is_read IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        cluster,
        topic,
        partition,
        greatest(open_at, next_asked_at) AS from_at,
        next_at AS to_at,
        log_end_offset AS lower,
        FALSE AS is_last, TRUE AS is_sampled
    FROM signs WHERE greatest(open_at, next_asked_at) < next_at AND is_read IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        cluster, topic, partition, open_at AS from_at, log_end_offset AS lower, TRUE AS is_last,
        confirmed_at IS NOT NULL AS is_sampled
    FROM signs WHERE next_at IS NULL AND until_at IS NULL
    -- Between two lives of a topic nobody knows which of them it was.
    UNION ALL BY NAME
    SELECT cluster, topic, partition, open_at AS from_at, until_at AS to_at, FALSE AS is_last, TRUE AS is_sampled
    FROM signs WHERE next_at IS NULL AND open_at < until_at
    UNION ALL BY NAME
    SELECT
        cluster, topic, partition, '-infinity'::TIMESTAMPTZ AS from_at, asked_at AS to_at, log_end_offset AS upper,
        FALSE AS is_last, FALSE AS is_sampled
    FROM
        signs WHERE number = 1 AND source <> 'batch' AND until_at IS NULL
    AND (cluster, topic, partition) NOT IN (SELECT (cluster, topic, partition) FROM signs WHERE until_at IS NOT NULL
    )
),
-- An admin may set an offset that never was, and so may somebody of whom it is not known who it was; of a log that was
-- read whole only what is beyond its end says something.
commits AS (
    SELECT c.cluster, c.topic, c.partition, c.effective_at, c.committed_offset
    FROM core.commits AS c
    JOIN (
        SELECT
            cluster,
            topic,
            partition,
            min(lower) AS least,
            min(from_at) AS first_at,
            bool_and(is_last AND NOT is_sampled) AS is_gap_free
        FROM stretches GROUP BY ALL
    ) AS l USING (cluster, topic, partition)
    WHERE
        c.kind <> 'removed'
        AND c.effective_at >= l.first_at
        AND c.committed_offset >= 0
        AND (c.actor IN ('admin', 'unknown')) IS NOT TRUE
        AND NOT (l.is_gap_free AND c.committed_offset <= l.least)
),
commit_stretches AS (
    SELECT s.cluster, s.topic, s.partition, s.from_at, s.lower, s.upper, c.effective_at, c.committed_offset
    FROM commits AS c
    ASOF JOIN stretches AS s
        ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition AND c.effective_at >= s.from_at
    WHERE c.effective_at < coalesce(s.to_at, 'infinity'::TIMESTAMPTZ) AND (s.lower IS NOT NULL OR s.upper IS NOT NULL)
),
stretch_bounds AS (
    SELECT
        s.*, coalesce(p.has_commits, FALSE) AS has_commits,
        CASE WHEN greatest(p.highest, s.lower) > s.upper THEN NULL ELSE s.upper END AS known_upper
    FROM stretches AS s
    LEFT JOIN (
        SELECT cluster, topic, partition, from_at, max(committed_offset) AS highest, TRUE AS has_commits
        FROM commit_stretches GROUP BY ALL
    ) AS p USING (cluster, topic, partition, from_at)
    WHERE s.is_sampled OR p.highest > s.lower OR s.lower IS NULL
),
steps AS (
    SELECT cluster, topic, partition, from_at, min(step_at) AS step_at, lower
    FROM (
        SELECT
            cluster, topic, partition, from_at, step_at,
            max(lower) OVER (PARTITION BY cluster, topic, partition, from_at ORDER BY step_at) AS lower
        FROM (
            SELECT cluster, topic, partition, from_at, from_at AS step_at, lower
            FROM stretch_bounds
            WHERE from_at > '-infinity'::TIMESTAMPTZ
            UNION ALL
            SELECT cluster, topic, partition, from_at, effective_at, committed_offset
            FROM commit_stretches
            WHERE coalesce(committed_offset <= upper, TRUE) AND coalesce(committed_offset > lower, TRUE)
        )
    )
    GROUP BY ALL
)
SELECT
    cluster, topic, partition, s.step_at AS from_at,
    coalesce(
        lead(s.step_at) OVER (PARTITION BY cluster, topic, partition, from_at ORDER BY s.step_at), j.to_at
    ) AS to_at,
    s.lower AS log_end_lower, j.known_upper AS log_end_upper, j.has_commits
FROM steps AS s JOIN stretch_bounds AS j USING (cluster, topic, partition, from_at)
ORDER BY cluster, topic, partition, from_at
