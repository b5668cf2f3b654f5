-- Lag as of every commit of some partitions of the offsets topic, and of every store that core.stores has of them.
-- The log of a data partition goes by a number here: rows are sorted by it, many times faster than by three columns.
WITH logs AS MATERIALIZED (
    SELECT cluster, topic, partition, row_number() OVER () AS log
    FROM (SELECT DISTINCT cluster, topic, partition FROM core.reach)
),
asked AS (
    SELECT 'commit' AS point, effective_at AS as_of, cluster, group_id, topic, partition, log_partition, log_offset,
           committed_offset AS current_offset
    FROM core.commits
    WHERE kind <> 'removed' AND effective_at IS NOT NULL AND log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
    UNION ALL
    SELECT 'grid' AS point, taken_at AS as_of, cluster, group_id, topic, partition, log_partition, log_offset, committed_offset
    FROM core.stores
    WHERE kind <> 'removed' AND log_partition BETWEEN getvariable('from_partition') AND getvariable('to_partition')
),
numbered AS (FROM asked LEFT JOIN logs USING (cluster, topic, partition)),
reach AS (
    FROM core.reach JOIN logs USING (cluster, topic, partition) SEMI JOIN (SELECT DISTINCT log FROM numbered) USING (log)
),
starts AS (
    SELECT log, reached_at, max(log_start_offset) OVER (PARTITION BY log ORDER BY reached_at) AS log_start_offset
    FROM core.log_ends JOIN logs USING (cluster, topic, partition)
    WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
),
bounded AS (
    SELECT a.*, s.log_start_offset, {
               'log_end_offset': g.log_end_offset, 'records_lower': g.records_lower_through,
               'records_upper': g.records_upper_through, 'bytes': g.bytes_through, 'unseen': g.unseen_through,
               'reached_at': g.reached_at, 'last_stable_offset': g.last_stable_offset,
               'stable_lower': g.stable_lower_through, 'stable_upper': g.stable_upper_through,
               'stable_bytes': g.stable_bytes_through, 'stable_unseen': g.stable_unseen_through
           } AS goal
    FROM numbered AS a
    ASOF LEFT JOIN starts AS s ON a.log = s.log AND a.as_of >= s.reached_at
    ASOF LEFT JOIN (FROM reach WHERE is_news) AS g ON a.log = g.log AND a.as_of >= g.reached_at
),
counted AS (
    SELECT *, if(current_offset >= 0 AND greatest(current_offset, log_start_offset) <= goal.log_end_offset,
                 greatest(current_offset, log_start_offset), NULL) AS unread_from
    FROM bounded
),
stretches AS (
    SELECT log, log_end_offset, {
               'source': source, 'base_offset': base_offset, 'last_offset': last_offset, 'seen_from': seen_from,
               'records_lower': records_lower, 'records_upper': records_upper, 'bytes': bytes, 'earliest_at': earliest_at,
               'first_latest_at': first_latest_at, 'latest_at': latest_at, 'next_earliest_at': next_earliest_at,
               'next_latest_at': next_latest_at, 'records_lower_through': records_lower_through,
               'records_upper_through': records_upper_through, 'bytes_through': bytes_through,
               'unseen_through': unseen_through
           } AS stretch
    FROM reach WHERE base_offset IS NOT NULL
),
placed AS (
    SELECT c.*, r.stretch, stable_goal(c.goal, c.unread_from) AS stable_goal
    FROM counted AS c
    ASOF LEFT JOIN stretches AS r ON c.log = r.log AND c.unread_from < r.log_end_offset
),
told AS (
    SELECT *, told_lag(bounds, times, as_of) AS high, told_lag(stable_bounds, times, as_of) AS stable
    FROM (
        SELECT *, lag_bounds(stretch, unread_from, goal) AS bounds,
               lag_bounds(stretch, unread_from, stable_goal) AS stable_bounds, lag_times(stretch, unread_from, goal) AS times
        FROM placed
    )
)
SELECT cluster, group_id, topic, partition, as_of, point, current_offset, log_start_offset,
       goal.log_end_offset AS log_end_offset, goal.log_end_offset - unread_from AS lag,
       if(current_offset >= 0 AND log_start_offset >= 0, greatest(log_start_offset - current_offset, 0), NULL) AS lost,
       high.records, high.records_lower, high.records_upper, high.bytes, high.seconds, high.seconds_lower,
       high.seconds_upper, high.method, goal.last_stable_offset AS last_stable_offset,
       stable_goal.log_end_offset - unread_from AS stable_lag, stable.records AS stable_records,
       stable.records_lower AS stable_records_lower, stable.records_upper AS stable_records_upper,
       stable.bytes AS stable_bytes, stable.seconds AS stable_seconds, stable.seconds_lower AS stable_seconds_lower,
       stable.seconds_upper AS stable_seconds_upper, log_partition, log_offset
FROM told
