-- Times of ten minutes or more for which one of Burrow's rules held of one partition of a group at every instant of the
-- grid, and the commits and log ends of that partition bear it out: without commits for three times as long as the
-- group usually takes from one to the next, or with a lag that grows by a twentieth or more of what is appended. A
-- group without members was closed then, and did not stand still.
WITH commits AS (
    SELECT
        s.cluster, s.group_id, s.span, count(*) FILTER (c.effective_at > s.from_at) AS commits_since,
        arg_max(c.committed_offset, c.log_offset) FILTER (c.effective_at <= s.from_at) AS offset_before,
        arg_max(c.committed_offset, c.log_offset) AS offset_after,
        min(c.committed_offset) FILTER (c.effective_at > s.from_at) AS lowest,
        max(c.committed_offset) FILTER (c.effective_at > s.from_at) AS highest
    FROM standstill_spans AS s
    JOIN core.commits AS c
        ON
            c.cluster = s.cluster AND c.group_id = s.group_id AND c.topic = s.topic AND c.partition = s.partition
            AND c.effective_at <= s.to_at
    GROUP BY ALL
),
ends AS (
    SELECT
        s.cluster, s.group_id, s.span, max(e.log_end_offset) FILTER (e.reached_at <= s.from_at) AS end_before,
        max(e.log_end_offset) AS end_after
    FROM standstill_spans AS s
    JOIN core.log_ends AS e
        ON e.cluster = s.cluster AND e.topic = s.topic AND e.partition = s.partition AND e.reached_at <= s.to_at
    WHERE e.until_at IS NULL
    GROUP BY ALL
),
-- Where only bounds of the log's end are known: the lag was at most so much at first, and at least so much at last.
end_bounds AS (
    SELECT
        e.cluster, e.group_id, e.span, if(b.cluster IS NULL, end_before, b.log_end_upper) AS end_before,
        greatest(end_after, a.log_end_lower) AS end_after, b.cluster IS NULL AND a.cluster IS NULL AS is_exact
    FROM ends AS e
    JOIN standstill_spans AS s USING (cluster, group_id, span)
    LEFT JOIN core.log_end_bounds AS b
        ON
            b.cluster = s.cluster AND b.topic = s.topic AND b.partition = s.partition AND b.from_at <= s.from_at
            AND coalesce(b.to_at > s.from_at, TRUE)
    LEFT JOIN core.log_end_bounds AS a
        ON
            a.cluster = s.cluster AND a.topic = s.topic AND a.partition = s.partition AND a.from_at <= s.to_at
            AND coalesce(a.to_at > s.to_at, TRUE)
),
memberless_spans AS (
    SELECT DISTINCT s.cluster, s.group_id, s.span
    FROM standstill_spans AS s
    JOIN core.group_states AS g
        ON
            g.cluster = s.cluster AND g.group_id = s.group_id AND g.from_at <= s.to_at
            AND coalesce(g.to_at > s.from_at, TRUE)
    WHERE g.state IN ('Empty', 'Dead')
),
span_measures AS (
    SELECT
        s.*, c.*, e.end_before, e.end_after, e.is_exact, _minus(e.end_before, c.offset_before) AS lag_before,
        _minus(e.end_after, c.offset_after) AS lag_after,
        coalesce(60000 * s.minutes >= 3 * i.interval_ms, TRUE) AS is_long,
        CASE deciding_rule
            WHEN 'commits_stopped' THEN 'commits_paused' WHEN 'lag_never_less' THEN 'lag_grew'
            ELSE if(is_last, 'stalled', 'stalled_for_a_time')
        END AS claim_kind
    FROM standstill_spans AS s
    JOIN commits AS c USING (cluster, group_id, span)
    JOIN end_bounds AS e USING (cluster, group_id, span)
    ANTI JOIN memberless_spans USING (cluster, group_id, span)
    LEFT JOIN commit_intervals AS i
        ON i.cluster = s.cluster AND i.group_id = s.group_id AND i.topic = s.topic AND i.partition = s.partition
)
SELECT
    if(claim_kind = 'lag_grew', 'behind', 'stopped') AS kind,
    cluster,
    group_id,
    topic,
    partition,
    claim_kind,
    from_at AS from_time,
    from_at AS occurred_at,
    'unknown' AS cause,
    'proven' AS certainty,
    log_partition,
    evidence[-1] AS log_offset,
    evidence,
    concat(
        CASE claim_kind
            WHEN 'commits_paused' THEN concat('committed nothing for ', _minutes_in_words(minutes))
            WHEN 'lag_grew' THEN concat('fell behind for ', _minutes_in_words(minutes))
            ELSE concat('committed the same offset for ', _minutes_in_words(minutes))
        END,
        format(
            if(is_exact, ', from {:,} to {:,} offsets behind', ', from at most {:,} to at least {:,} offsets behind'),
            lag_before,
            lag_after
        )
    ) AS claim
FROM span_measures
WHERE
    lag_before >= 0 AND lag_after > lag_before
    AND CASE claim_kind
        WHEN 'lag_grew' THEN 20 * (lag_after - lag_before) >= end_after - end_before
        WHEN 'commits_paused' THEN commits_since = 0 AND NOT is_last AND is_long
        ELSE lowest = highest AND lowest = offset_before
    END
QUALIFY row_number() OVER (
    PARTITION BY cluster, group_id, topic, partition, claim_kind, log_partition, evidence[-1]
    ORDER BY minutes DESC, from_at
) = 1
