-- Where an owner of a partition ended, or began anew with an eager rebalance: the `last` commit before that, the one `standing`
-- when the next one began, its own last ten since the place before, newest first (`own_offsets`, `own_at`), and how far apart
-- these are in time and in offsets. Where somebody read in between who is no member, it may have begun where the owner had come
-- to. Names are numbered, since numbers are sorted in a fifth of the time.
WITH keys AS MATERIALIZED (
    SELECT *, row_number() OVER () AS key, dense_rank() OVER (ORDER BY cluster, log_partition, group_id) AS grp
    FROM (
        SELECT DISTINCT cluster, log_partition, group_id, topic, partition FROM owners()
        WHERE topic IS NOT NULL AND log_partition BETWEEN coalesce(from_log, 0) AND coalesce(to_log, 2147483647)
    )
),
owned AS MATERIALIZED (
    SELECT k.key, k.grp, o.* FROM owners() AS o JOIN keys AS k USING (cluster, log_partition, group_id, topic, partition)
),
changes AS (
    SELECT key, member_id, client_id, client_host, owned_log_offset, is_owner_known, seen_at, generation_before,
           'handed over' AS how, ended, is_end_known, coalesce(until_log_offset, next.log_offset) AS until_log_offset,
           coalesce(until_at, next.seen_at) AS until_at, if(is_same_topic, next.log_offset, NULL) AS next_log_offset,
           if(is_same_topic, next.seen_at, NULL) AS next_at, if(is_same_topic, next.generation, NULL) AS generation_after,
           if(is_same_topic, next.member_id, NULL) AS next_member_id,
           coalesce(is_same_topic AND next.from_log_offset IS NOT NULL, FALSE) AS is_start_known
    FROM (
        SELECT *, coalesce(topic_id = next.topic_id, TRUE) AS is_same_topic
        FROM (
            SELECT key, member_id, client_id, client_host, log_offset AS owned_log_offset,
                   from_log_offset IS NOT NULL AS is_owner_known, seen_at, topic_id,
                   last_generation AS generation_before, ended, to_log_offset IS NOT NULL AS is_end_known, until_log_offset,
                   until_at, lead({
                       'log_offset': log_offset, 'seen_at': seen_at, 'generation': generation, 'member_id': member_id,
                       'from_log_offset': from_log_offset, 'topic_id': topic_id
                   }) OVER (PARTITION BY key ORDER BY log_offset) AS next
            FROM owned
        )
    )
    WHERE coalesce(until_log_offset, next.log_offset) IS NOT NULL
),
-- An eager rebalance takes all partitions from all members, and who gets one again begins at what is committed.
eager AS MATERIALIZED (
    SELECT grp, g.log_offset, g.from_at, g.generation, g.generation_before,
           row_number() OVER (PARTITION BY grp ORDER BY g.log_offset) AS nth
    FROM core.generations AS g
    JOIN (SELECT DISTINCT cluster, log_partition, group_id, grp FROM keys) USING (cluster, log_partition, group_id)
    WHERE g.group_type = 'classic' AND g.state = 'Stable' AND g.protocol_type = 'consumer'
      AND g.protocol NOT IN ('cooperative-sticky', 'stream') AND g.generation IS DISTINCT FROM g.generation_before
),
renewals AS (
    SELECT o.key, o.member_id, o.client_id, o.client_host, o.log_offset AS owned_log_offset,
           o.from_log_offset IS NOT NULL AS is_owner_known, o.seen_at, g.generation_before,
           'assigned again' AS how, 'renewed' AS ended, TRUE AS is_end_known, g.log_offset AS until_log_offset,
           g.from_at AS until_at, g.log_offset AS next_log_offset, g.from_at AS next_at, g.generation AS generation_after,
           o.member_id AS next_member_id, TRUE AS is_start_known
    FROM (
        SELECT o.*, unnest(range(coalesce(b.nth, 0) + 1, coalesce(e.nth, 0) + 1)) AS nth
        FROM (SELECT *, coalesce(until_log_offset, 9223372036854775807) AS ends_before FROM owned) AS o
        ASOF LEFT JOIN eager AS b ON b.grp = o.grp AND b.log_offset <= o.log_offset
        ASOF LEFT JOIN eager AS e ON e.grp = o.grp AND e.log_offset < o.ends_before
    ) AS o
    JOIN eager AS g ON g.grp = o.grp AND g.nth = o.nth
),
-- Where it can't be known when the next one began, it may have begun before whatever was committed since.
events AS MATERIALIZED (
    SELECT *, CASE WHEN is_start_known THEN next_log_offset WHEN is_end_known THEN until_log_offset ELSE owned_log_offset END
                  AS from_log_offset
    FROM (FROM changes UNION ALL BY NAME FROM renewals)
),
places AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY key, place) AS number
    FROM (SELECT DISTINCT key, unnest([until_log_offset, from_log_offset]) AS place FROM events)
),
written AS (
    SELECT number,
           arg_max(
               {'committed_offset': committed_offset, 'log_offset': log_offset, 'place': position, 'committed_at': effective_at,
                'kind': kind, 'cause': cause, 'is_transactional': is_transactional, 'previous_offset': previous_offset},
               position
           ) AS newest,
           count_if(is_outside) > 2 OR coalesce(bool_or(leader_epoch IS NOT NULL) FILTER (is_outside), FALSE) AS is_read_outside,
           max(position, 10) FILTER (committed_offset IS NOT NULL) AS positions,
           arg_max(committed_offset, position, 10) FILTER (committed_offset IS NOT NULL) AS offsets,
           arg_max(coalesce(effective_at, '-infinity'), position, 10) FILTER (committed_offset IS NOT NULL) AS times
    FROM (
        SELECT p.number, c.*
        FROM (
            SELECT key, c.committed_offset, c.log_offset, c.effective_log_offset AS position, c.effective_at, c.kind, c.cause,
                   c.is_transactional, c.previous_offset, c.leader_epoch, c."by" IN ('simple consumer', 'admin', 'unknown') AS is_outside
            FROM core.commits AS c
            JOIN (FROM keys SEMI JOIN places USING (key)) AS k USING (cluster, log_partition, group_id, topic, partition)
        ) AS c
        ASOF JOIN places AS p ON p.key = c.key AND c.position < p.place
    )
    GROUP BY number
),
-- The same again where none came since the place before.
stood AS MATERIALIZED (
    SELECT key, place, w.*
    FROM (
        SELECT p.key, p.place, max(w.number) OVER (PARTITION BY p.key ORDER BY p.place) AS number
        FROM places AS p LEFT JOIN written AS w USING (number)
    ) AS p
    JOIN written AS w USING (number)
),
sessions AS (
    SELECT cluster, log_partition, group_id, member_id, max(session_timeout_ms) AS session_timeout_ms
    FROM core.members GROUP BY ALL
),
paced AS (
    SELECT k.* EXCLUDE (key, grp), e.* EXCLUDE (key), b.newest AS standing, a.newest AS last, m.session_timeout_ms,
           coalesce(b.newest.place >= e.until_log_offset AND b.is_read_outside, FALSE) AS is_read_between,
           a.offsets, a.times, len(list_filter(a.positions, lambda position: position > e.owned_log_offset)) AS own
    FROM events AS e
    JOIN keys AS k USING (key)
    LEFT JOIN stood AS a ON a.key = e.key AND a.place = e.until_log_offset
    LEFT JOIN stood AS b ON b.key = e.key AND b.place = e.from_log_offset
    LEFT JOIN sessions AS m
        ON m.cluster = k.cluster AND m.log_partition = k.log_partition AND m.group_id = k.group_id
            AND m.member_id = e.member_id
)
SELECT * EXCLUDE (offsets, times), offsets[:own] AS own_offsets,
       list_transform(times[:own], lambda moment: nullif(moment, '-infinity')) AS own_at,
       CASE WHEN own > 1
            THEN date_diff('millisecond', nullif(times[own], '-infinity'), nullif(times[1], '-infinity')) / (own - 1) END
           AS interval_ms,
       CASE WHEN own > 1 THEN greatest(offsets[1] - offsets[own], 0) / (own - 1) END AS step
FROM paced
