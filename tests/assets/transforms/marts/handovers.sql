-- Where an owner of a partition ended, or began anew with an eager rebalance: the `last` commit before that, the one `standing`
-- when the next one began, how many of the last ten since the place before are its `own`, when it made the newest of these
-- (`own_at`), how far apart they are in time and in offsets, and until when the commits behind it only repeated what stood. Where somebody read in between who is no member, it may
-- have begun where the owner had come to.
WITH events AS MATERIALIZED (FROM ownership_ends),
keys AS (SELECT DISTINCT key, cluster, log_partition, group_id, topic, partition FROM events),
places AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY key, place) AS number
    FROM (SELECT DISTINCT key, unnest([until_log_offset, from_log_offset]) AS place FROM events)
),
-- Commits that repeat one another, and when the last one did.
repeats AS (
    SELECT key, position, kind = 'repeat' AS is_repeat,
           last_value(effective_at) OVER (
               PARTITION BY key, run ORDER BY position, log_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
           ) AS last_at
    FROM (
        SELECT k.key, c.effective_log_offset AS position, c.log_offset, c.effective_at, c.kind,
               count_if(c.kind <> 'repeat') OVER (
                   PARTITION BY k.key ORDER BY c.effective_log_offset, c.log_offset ROWS UNBOUNDED PRECEDING
               ) AS run
        FROM core.commits AS c
        JOIN keys AS k USING (cluster, log_partition, group_id, topic, partition)
    )
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
                   c.is_transactional, c.previous_offset, c.leader_epoch, c.actor IN ('simple_consumer', 'admin', 'unknown') AS is_outside
            FROM core.commits AS c
            JOIN keys AS k USING (cluster, log_partition, group_id, topic, partition)
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
paced AS (
    SELECT e.* EXCLUDE (from_log_offset), if(r.is_repeat, r.last_at, NULL) AS last_repeat_at, b.newest AS standing, a.newest AS last,
           coalesce(b.newest.place >= e.until_log_offset AND b.is_read_outside, FALSE) AS is_read_between,
           a.offsets, a.times, len(list_filter(a.positions, lambda position: position > e.owned_log_offset)) AS own
    FROM events AS e
    LEFT JOIN stood AS a ON a.key = e.key AND a.place = e.until_log_offset
    LEFT JOIN stood AS b ON b.key = e.key AND b.place = e.from_log_offset
    ASOF LEFT JOIN repeats AS r ON r.key = e.key AND r.position >= e.from_log_offset
)
SELECT * EXCLUDE (offsets, times), if(own > 0, nullif(times[1], '-infinity'), NULL) AS own_at,
       CASE WHEN own > 1
            THEN date_diff('millisecond', nullif(times[own], '-infinity'), nullif(times[1], '-infinity')) / (own - 1) END
           AS interval_ms,
       CASE WHEN own > 1 THEN greatest(_minus(offsets[1], offsets[own]), 0) / (own - 1) END AS step
FROM paced
