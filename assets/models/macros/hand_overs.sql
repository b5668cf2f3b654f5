-- Where an owner of a partition ended, or began anew with an eager rebalance: the `last` commit before that, the one `standing`
-- when the next one began, its `own` last ten, newest first, and how far apart these are in time and in offsets.
WITH owners AS (FROM owners() WHERE topic IS NOT NULL),
changes AS (
    SELECT cluster, log_partition, group_id, topic, partition, member_id, client_id, client_host, log_offset AS owned_log_offset,
           seen_at, last_generation AS generation_before, 'handed over' AS how, ended, to_log_offset IS NOT NULL AS is_end_known,
           coalesce(until_log_offset, lead(log_offset) OVER place) AS until_log_offset,
           coalesce(until_at, lead(seen_at) OVER place) AS until_at,
           if(is_same_topic, lead(log_offset) OVER place, NULL) AS next_log_offset,
           if(is_same_topic, lead(seen_at) OVER place, NULL) AS next_at,
           if(is_same_topic, lead(generation) OVER place, NULL) AS generation_after,
           if(is_same_topic, lead(member_id) OVER place, NULL) AS next_member_id,
           coalesce(is_same_topic AND lead(from_log_offset) OVER place IS NOT NULL, FALSE) AS is_start_known
    FROM (
        SELECT *, coalesce(topic_id = lead(topic_id) OVER place, TRUE) AS is_same_topic
        FROM owners
        WINDOW place AS (PARTITION BY cluster, log_partition, group_id, topic, partition ORDER BY log_offset)
    )
    WINDOW place AS (PARTITION BY cluster, log_partition, group_id, topic, partition ORDER BY log_offset)
    QUALIFY until_log_offset IS NOT NULL
),
-- An eager rebalance takes all partitions from all members, and who gets one again begins at what is committed.
renewals AS (
    SELECT o.cluster, o.log_partition, o.group_id, o.topic, o.partition, o.member_id, o.client_id, o.client_host,
           o.log_offset AS owned_log_offset, o.seen_at, g.generation_before, 'assigned again' AS how, 'renewed' AS ended,
           TRUE AS is_end_known, g.log_offset AS until_log_offset, g.from_at AS until_at, g.log_offset AS next_log_offset,
           g.from_at AS next_at, g.generation AS generation_after, o.member_id AS next_member_id, TRUE AS is_start_known
    FROM owners AS o
    JOIN core.generations AS g
        ON g.cluster = o.cluster AND g.log_partition = o.log_partition AND g.group_id = o.group_id
        AND g.log_offset > o.log_offset AND (o.until_log_offset IS NULL OR g.log_offset < o.until_log_offset)
    WHERE g.group_type = 'classic' AND g.state = 'Stable' AND g.protocol_type = 'consumer'
      AND g.protocol NOT IN ('cooperative-sticky', 'stream') AND g.generation IS DISTINCT FROM g.generation_before
),
-- Where it can't be known when the next one began, it may have begun before whatever was committed since.
events AS (
    SELECT *, CASE WHEN is_start_known THEN next_log_offset WHEN is_end_known THEN until_log_offset ELSE owned_log_offset END
                  AS from_log_offset
    FROM (FROM changes UNION ALL BY NAME FROM renewals)
),
places AS (
    SELECT *, dense_rank() OVER (ORDER BY cluster, log_partition, group_id, topic, partition) AS key
    FROM (
        SELECT DISTINCT cluster, log_partition, group_id, topic, partition, unnest([until_log_offset, from_log_offset]) AS place
        FROM events
    )
),
-- The last commits before each place; the same again where none came since the place before. Numbered keys are sorted in a
-- fifth of the time that their names take.
written AS (
    SELECT c.key, p.place,
           arg_max(
               {'committed_offset': c.committed_offset, 'log_offset': c.log_offset, 'place': c.effective_log_offset,
                'committed_at': c.effective_at, 'kind': c.kind, 'cause': c.cause, 'is_transactional': c.is_transactional},
               c.effective_log_offset, 10
           ) AS newest
    FROM (
        SELECT key, c.committed_offset, c.log_offset, c.effective_log_offset, c.effective_at, c.kind, c.cause, c.is_transactional
        FROM core.commits AS c
        JOIN (SELECT DISTINCT cluster, log_partition, group_id, topic, partition, key FROM places)
            USING (cluster, log_partition, group_id, topic, partition)
    ) AS c
    ASOF JOIN places AS p ON p.key = c.key AND c.effective_log_offset < p.place
    GROUP BY ALL
),
stood AS (
    SELECT cluster, log_partition, group_id, topic, partition, place,
           last_value(newest IGNORE NULLS) OVER (PARTITION BY key ORDER BY place) AS newest
    FROM places LEFT JOIN written USING (key, place)
),
sessions AS (
    SELECT cluster, log_partition, group_id, member_id, max(session_timeout_ms) AS session_timeout_ms
    FROM core.members GROUP BY ALL
),
paced AS (
    SELECT e.*, b.newest[1] AS standing, a.newest[1] AS last, m.session_timeout_ms,
           list_filter(a.newest, lambda c: c.place > e.owned_log_offset AND c.committed_offset IS NOT NULL) AS own
    FROM events AS e
    LEFT JOIN stood AS a
        ON a.cluster = e.cluster AND a.log_partition = e.log_partition AND a.group_id = e.group_id
            AND a.topic = e.topic AND a.partition = e.partition AND a.place = e.until_log_offset
    LEFT JOIN stood AS b
        ON b.cluster = e.cluster AND b.log_partition = e.log_partition AND b.group_id = e.group_id
            AND b.topic = e.topic AND b.partition = e.partition AND b.place = e.from_log_offset
    LEFT JOIN sessions AS m
        ON m.cluster = e.cluster AND m.log_partition = e.log_partition AND m.group_id = e.group_id
            AND m.member_id = e.member_id
)
SELECT *, CASE WHEN len(own) > 1 THEN date_diff('millisecond', own[-1].committed_at, own[1].committed_at) / (len(own) - 1) END
           AS interval_ms,
       CASE WHEN len(own) > 1 THEN greatest(own[1].committed_offset - own[-1].committed_offset, 0) / (len(own) - 1) END AS step
FROM paced
