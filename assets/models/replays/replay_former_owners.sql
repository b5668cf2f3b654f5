-- How far each owner may have read when it ended. One that went on committing as before until it stopped has left at
-- most what lies between two of its commits (`is_on_pace`). Of that probably nothing is left where it went alive, where
-- nothing more was in the log, or where nobody commits more for seconds after it (`is_all_read`). Of an owner that was
-- killed, or that fell silent while there was something to read, no record tells how far it had come. Of several that
-- end at once, one may have left long before, and the group have waited for the others.
WITH hands AS (
    FROM replay_owner_ends JOIN replay_logs USING (cluster, topic, partition)
),
last_ends AS (
    SELECT log, max(ends) AS ends FROM replay_log_ends GROUP BY ALL
),
unread_since AS (
    -- When there was more to be read than was committed last.
    SELECT h.log, h.read_to, w.reached_at
    FROM (
        SELECT DISTINCT log, last.committed_offset AS read_to FROM hands
        WHERE last.committed_offset IS NOT NULL
    ) AS h
    ASOF JOIN replay_log_ends AS w ON w.log = h.log AND w.ends > h.read_to
),
read_to AS (
    -- An end below what it had committed proves that the end of then is not known.
    SELECT
        h.*, u.log_start, n.log_end AS log_end_next, d.log_end AS log_end_stopped,
        coalesce(u.is_later AND u.log_end < h.last.committed_offset, FALSE) AS is_another_log,
        CASE
            WHEN u.log_end >= coalesce(h.last.committed_offset, 0) THEN u.log_end WHEN is_another_log THEN NULL
            WHEN l.ends >= h.last.committed_offset THEN l.ends
        END AS log_end,
        coalesce(u.log_end >= coalesce(h.last.committed_offset, 0), FALSE) AS is_log_end_known,
        date_diff('millisecond', greatest(h.last.committed_at, h.seen_at, w.reached_at), h.stopped_at) AS idle_ms
    FROM hands AS h
    LEFT JOIN replay_bounds AS u ON u.log = h.log AND u.occurred_at = h.until_at
    LEFT JOIN replay_bounds AS d ON d.log = h.log AND d.occurred_at = h.stopped_at
    LEFT JOIN replay_bounds AS n ON n.log = h.log AND n.occurred_at = h.next_at
    LEFT JOIN last_ends AS l ON l.log = h.log
    LEFT JOIN unread_since AS w ON w.log = h.log AND w.read_to = h.last.committed_offset
)
SELECT
    * REPLACE (
        if(
            cause = 'member_left_or_crashed' AND NOT is_one_of_many AND interval_ms < session_timeout_ms
            AND idle_ms BETWEEN 0 AND 3 * interval_ms + 5000, 'member_crash', cause
        ) AS cause
    ),
    coalesce(was_alive AND idle_ms <= greatest(3 * interval_ms, 1000), FALSE) AS is_clean,
    coalesce(
        cause NOT IN ('unknown', 'group_removed')
        AND (
            last.is_transactional OR idle_ms <= 3 * coalesce(interval_ms, 0) + 5000
            OR NOT was_alive AND step IS NOT NULL AND (session_timeout_ms IS NULL OR end_reason = 'replaced')
        ), FALSE
    )
        AS is_on_pace,
    coalesce(
        last.is_transactional OR was_alive AND is_on_pace OR log_end_stopped <= last.committed_offset
        OR NOT is_log_end_known AND last_repeat_at >= next_at + INTERVAL 5 SECOND, FALSE
    ) AS is_all_read
FROM read_to
