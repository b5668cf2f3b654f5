-- Every partition that a group (NULL: any group) had committed or owned at an instant, with the stretch of its log that
-- reading goes on in, and the goals up to which it does.
WITH offsets_and_owners AS (FROM _offsets_and_owners(ts, grp := grp)),
asked_partitions AS (SELECT DISTINCT cluster, topic, partition FROM offsets_and_owners),
-- The least and the greatest topic let DuckDB pass over what is stored of all others, whichever side of a join it takes
-- first.
index_rows AS NOT MATERIALIZED (
    FROM internal.batch_index SEMI JOIN asked_partitions USING (cluster, topic, partition)
    WHERE topic BETWEEN (SELECT min(topic) FROM asked_partitions) AND (SELECT max(topic) FROM asked_partitions)
),
ends AS (
    SELECT
        cluster, topic, partition, max(log_start_offset) AS log_start_offset,
        if(bool_or(source = 'gap'), NULL, max(log_end_offset)) AS log_end_offset
    FROM core.log_ends SEMI JOIN asked_partitions USING (cluster, topic, partition)
    WHERE
        topic BETWEEN (SELECT min(topic) FROM asked_partitions) AND (SELECT max(topic) FROM asked_partitions)
        AND reached_at <= ts
        AND (until_at > ts OR until_at IS NULL)
    GROUP BY ALL
),
end_bounds AS (
    SELECT cluster, topic, partition, { 'log_end_lower': log_end_lower, 'log_end_upper': log_end_upper } AS bounds
    FROM log_end_bounds_at(ts)
    WHERE topic BETWEEN (SELECT min(topic) FROM asked_partitions) AND (SELECT max(topic) FROM asked_partitions)
),
goals AS (
    SELECT
        cluster, topic, partition, reached_at <= ts AS is_reached,
        {
            'log_end_offset': log_end_offset, 'records_lower': records_lower_through,
            'records_upper': records_upper_through, 'bytes': bytes_through, 'unseen': unseen_through,
            'reached_at': reached_at, 'last_stable_offset': last_stable_offset, 'stable_lower': stable_lower_through,
            'stable_upper': stable_upper_through, 'stable_bytes': stable_bytes_through,
            'stable_unseen': stable_unseen_through
        } AS goal
    FROM index_rows
    SEMI JOIN (
        SELECT cluster, topic, partition, max(log_end_offset) AS log_end_offset
        FROM index_rows
        WHERE is_new_log_end AND reached_at <= ts
        GROUP BY ALL
        UNION ALL
        SELECT cluster, topic, partition, bounds.log_end_upper FROM end_bounds
    ) USING (cluster, topic, partition, log_end_offset)
    WHERE is_new_log_end
),
log_end_ranges AS (
    SELECT
        s.*, e.log_start_offset, e.log_end_offset AS seen_end, b.bounds IS NOT NULL AS is_bounded,
        greatest(if(s.current_offset >= 0, s.current_offset, NULL), e.log_start_offset) AS begins,
        _known_end(e.log_end_offset, b.bounds, begins) AS log_end
    FROM offsets_and_owners AS s
    LEFT JOIN ends AS e USING (cluster, topic, partition)
    LEFT JOIN end_bounds AS b USING (cluster, topic, partition)
),
lag_goals AS (
    SELECT
        s.*, if(s.current_offset >= 0 AND s.log_end IS NOT NULL, begins, NULL) AS unread_from,
        if(g.goal.log_end_offset = seen_end OR is_bounded, g.goal, NULL) AS goal,
        if(is_bounded, c.goal, if(g.goal.log_end_offset = seen_end, g.goal, NULL)) AS last_goal,
        if(ts < 'infinity'::TIMESTAMPTZ, ts, greatest(n.newest_at, g.goal.reached_at)) AS as_of
    FROM log_end_ranges AS s
    LEFT JOIN (FROM goals WHERE is_reached) AS g USING (cluster, topic, partition)
    LEFT JOIN (FROM goals WHERE NOT is_reached) AS c USING (cluster, topic, partition)
    LEFT JOIN _newest_of('offsets_and_owners') AS n USING (cluster)
),
-- Each commit lies in the first stretch that ends behind it: few columns are read to find it, all of it only then.
stretches AS (
    SELECT
        n.cluster, n.group_id, n.topic, n.partition, arg_min({
            'source': source, 'base_offset': base_offset, 'last_offset': last_offset, 'seen_from': seen_from,
            'records_lower': records_lower, 'records_upper': records_upper, 'bytes': bytes, 'earliest_at': earliest_at,
            'first_latest_at': first_latest_at, 'latest_at': latest_at, 'next_earliest_at': next_earliest_at,
            'next_latest_at': next_latest_at, 'records_lower_through': records_lower_through,
            'records_upper_through': records_upper_through, 'bytes_through': bytes_through,
            'unseen_through': unseen_through
        }, base_offset) AS stretch
    FROM index_rows AS r
    JOIN (
        SELECT c.cluster, c.group_id, c.topic, c.partition, min(r.log_end_offset) AS log_end_offset
        FROM lag_goals AS c
        JOIN index_rows AS r
            ON
                c.cluster = r.cluster AND c.topic = r.topic AND c.partition = r.partition
                AND c.unread_from < r.log_end_offset
                AND r.base_offset < greatest(c.goal.log_end_offset, c.last_goal.log_end_offset)
        GROUP BY ALL
    ) AS n USING (cluster, topic, partition, log_end_offset)
    WHERE r.base_offset IS NOT NULL
    GROUP BY ALL
)
SELECT
    c.*,
    r.stretch,
    _stable_goal(goal, unread_from) AS stable_goal,
    _stable_goal(last_goal, unread_from) AS last_stable_goal
FROM lag_goals AS c LEFT JOIN stretches AS r USING (cluster, group_id, topic, partition)
