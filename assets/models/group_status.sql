-- What Burrow would have said of each group at the instants of core.stores (every so many-th of them, where all together
-- are more than a million rows): status_at and group_status_at for all these instants at once.
WITH grid AS (
    SELECT epoch_us(min(taken_at)) AS first_us, epoch_us(max(taken_at)) AS last_us,
           (count(*) + 999999) // 1000000 * (last_us - first_us) // greatest(count(DISTINCT taken_at) - 1, 1) AS step_us
    FROM core.stores HAVING count(*) > 0
),
ends AS (
    SELECT cluster, topic, partition, reached_at, log_end_offset FROM core.reach WHERE is_news
),
newest AS (
    SELECT cluster, group_id, topic, partition, step,
           arg_max(
               {'effective_log_offset': effective_log_offset, 'log_offset': log_offset, 'log_partition': log_partition,
                'committed_at': effective_at, 'committed_offset': committed_offset},
               effective_log_offset::HUGEINT * 9223372036854775808 + log_offset, 10
           ) AS commit
    FROM (
        SELECT *, greatest(0, if(step_us = 0, 0, (epoch_us(effective_at) - first_us + step_us - 1) // step_us)) AS step
        FROM core.commits, grid
        WHERE effective_at IS NOT NULL AND kind <> 'removed'
    )
    GROUP BY ALL
),
lagging AS (
    SELECT c.cluster, c.group_id, c.topic, c.partition, c.step,
           list(struct_insert(c.commit, lag := offsets_left(c.commit.committed_offset, e.log_end_offset))) AS commits
    FROM (SELECT *, commit.committed_at AS committed_at FROM (SELECT * REPLACE (unnest(commit) AS commit) FROM newest)) AS c
    ASOF LEFT JOIN ends AS e
        ON c.cluster = e.cluster AND c.topic = e.topic AND c.partition = e.partition AND c.committed_at >= e.reached_at
    GROUP BY ALL
),
windows AS (
    SELECT cluster, group_id, topic, partition, step,
           list_sort(flatten(list(commits) OVER (key ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)))[-10:] AS commits,
           lead(step, 1, 9223372036854775807) OVER key AS until_step
    FROM lagging
    WINDOW key AS (PARTITION BY cluster, group_id, topic, partition ORDER BY step)
),
instants AS (
    SELECT cluster, group_id, topic, partition, commits,
           unnest(range(step, least(until_step, if(step_us = 0, 0, (last_us - first_us) // step_us) + 1))) AS instant
    FROM windows, grid
),
looks AS (
    SELECT w.cluster, w.topic, w.partition, w.instant, list(e.log_end_offset ORDER BY w.looked_at) AS ends
    FROM (
        SELECT cluster, topic, partition, instant,
               make_timestamptz(first_us + instant * step_us - 10000000 * unnest(range(10))) AS looked_at
        FROM (SELECT DISTINCT cluster, topic, partition, instant FROM instants), grid
    ) AS w
    ASOF LEFT JOIN ends AS e
        ON w.cluster = e.cluster AND w.topic = e.topic AND w.partition = e.partition AND w.looked_at >= e.reached_at
    GROUP BY ALL
),
told AS (
    SELECT i.*, l.ends, epoch_ms(make_timestamptz(first_us + instant * step_us)) AS as_of_ms,
           list_transform(commits, lambda c: c.committed_offset) AS offsets,
           list_transform(commits, lambda c: epoch_ms(c.committed_at)) AS times_ms,
           list_transform(commits, lambda c: c.lag) AS lags
    FROM instants AS i JOIN looks AS l USING (cluster, topic, partition, instant), grid
),
judged AS (
    SELECT *, burrow_rule(offsets, times_ms, lags, ends, as_of_ms, 0) AS rule,
           strict_rule(offsets, rule) AS strict_rule
    FROM told
),
graded AS (SELECT *, badness_of(rule) AS badness, badness_of(strict_rule) AS strict_badness FROM judged),
groups AS (
    SELECT cluster, group_id, as_of_ms, max(badness) AS badness, max(strict_badness) AS strict_badness,
           count(badness) = count(*) AS is_known, count(strict_badness) = count(*) AS is_strict_known,
           if(count(ends[-1]) = count(*), sum(offsets_left(offsets[-1], ends[-1])), NULL)::BIGINT AS "lag",
           count(*)::INTEGER AS partitions, count_if(len(commits) = 10) / count(*) AS complete,
           arg_max(
               {'topic': topic, 'partition': partition, 'rule': rule, 'strict_rule': strict_rule,
                'log_partition': commits[-1].log_partition, 'log_offsets': list_transform(commits, lambda c: c.log_offset)},
               {'badness': coalesce(badness, -1), 'strict': coalesce(strict_badness, -1), 'topic': topic, 'partition': partition}
           ) AS worst
    FROM graded
    GROUP BY ALL
)
SELECT cluster, group_id, make_timestamptz(as_of_ms * 1000) AS as_of, group_verdict(badness, is_known) AS status,
       group_verdict(strict_badness, is_strict_known) AS strict_status, "lag", partitions, complete,
       worst.topic AS worst_topic, worst.partition AS worst_partition, worst.rule AS worst_rule,
       worst.strict_rule AS worst_strict_rule, worst.log_partition AS log_partition, worst.log_offsets AS log_offsets
FROM groups
