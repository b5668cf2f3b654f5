-- Offsets that a group read again, as far as set-backs, removals and changes of owners tell.
-- Records can't tell a member that left from one that expired: a coordinator's text log does, and a commit shortly before. It is
-- heartbeats that keep a member, one in a third of a session at least; commits do only in classic groups, without transactions.
-- Consumer groups don't write their session timeout down; it is 45 seconds where nobody made it shorter.
WITH logged AS (
    SELECT cluster, group_id, member_id, bool_or(event = 'member failed') AS has_failed, bool_or(event = 'member left') AS has_left
    FROM raw.coordinator_log
    WHERE event IN ('member failed', 'member left') AND member_id IS NOT NULL
    GROUP BY ALL
),
given_up AS NOT MATERIALIZED (
    FROM hand_overs(from_log := getvariable('from_partition'), to_log := getvariable('to_partition'))
),
left_together AS (
    SELECT cluster, log_partition, group_id, until_log_offset, TRUE AS is_one_of_many
    FROM given_up WHERE ended = 'left or expired'
    GROUP BY ALL HAVING min(member_id) <> max(member_id)
),
-- Who sets an offset anew after its removal, as far as it stood or farther, sets nothing back.
turns AS MATERIALIZED (
    FROM (
        SELECT *, state = 'Empty' AND NOT is_transactional AND commits_in_state <= 2 AND leader_epoch IS NULL
                      AND coalesce(written_by = 'admin', TRUE) AS is_by_admin
        FROM set_backs(from_log := getvariable('from_partition'), to_log := getvariable('to_partition'))
    )
    WHERE (is_by_admin AND is_after_removal AND committed_offset >= previous_offset) IS NOT TRUE
),
turned AS (SELECT DISTINCT cluster, log_partition, group_id, topic, partition FROM turns),
-- Logs go by numbers, which are joined and sorted in less time.
places AS MATERIALIZED (
    SELECT *, row_number() OVER () AS log
    FROM (SELECT cluster, topic, partition FROM given_up UNION SELECT cluster, topic, partition FROM turns)
),
hands AS MATERIALIZED (
    SELECT * REPLACE (coalesce(is_one_of_many, FALSE) AS is_one_of_many),
           cause IN ('rebalance', 'member leave', 'group converted') AS was_alive,
           CASE WHEN cause IN ('member crash', 'member left or crashed') AND session_timeout_ms IS NOT NULL
                THEN greatest(until_at - to_milliseconds(session_timeout_ms), last.committed_at) ELSE until_at END AS stopped_at
    FROM (
        SELECT h.*, p.log, m.is_one_of_many,
               CASE WHEN ended IN ('revoked', 'renewed') THEN 'rebalance'
                    WHEN ended = 'replaced' THEN 'static member replaced'
                    WHEN ended = 'converted' THEN 'group converted'
                    WHEN ended = 'removed' THEN 'group removed'
                    WHEN ended IS DISTINCT FROM 'left or expired' THEN 'unknown'
                    WHEN has_failed AND NOT has_left THEN 'member crash'
                    WHEN has_left AND NOT has_failed THEN 'member leave'
                    WHEN date_diff('millisecond', own_at, until_at) < coalesce(2 * session_timeout_ms::BIGINT / 3, 4000)
                    THEN 'member leave'
                    ELSE 'member left or crashed' END AS cause
        FROM given_up AS h
        JOIN places AS p ON p.cluster = h.cluster AND p.topic = h.topic AND p.partition = h.partition
        LEFT JOIN logged AS l ON l.cluster = h.cluster AND l.group_id = h.group_id AND l.member_id = h.member_id
        LEFT JOIN left_together AS m
            ON m.cluster = h.cluster AND m.log_partition = h.log_partition AND m.group_id = h.group_id
                AND m.until_log_offset = h.until_log_offset
    )
),
-- Where the logs ended at the instants that matter: before the first batch that came later. A log all of which came later, and
-- that begins below what was committed before, is another one, of the same name. Clocks differ by seconds, so that
-- a log is only found to be another one by what it held a minute later.
asked AS MATERIALIZED (
    SELECT DISTINCT log, "at"
    FROM (
        SELECT log, unnest([until_at, stopped_at, next_at]) AS "at" FROM hands
        UNION ALL
        SELECT log, unnest([effective_at, stood_at, stood_at + INTERVAL 1 MINUTE, removed_at])
        FROM turns JOIN places USING (cluster, topic, partition)
    )
    WHERE "at" IS NOT NULL
),
batches AS MATERIALIZED (
    SELECT log, base_offset, last_offset, base_timestamp_ms, max_timestamp_ms, size_bytes, record_count, producer_id,
           is_transactional, is_control, control_type
    FROM raw.batches JOIN places USING (cluster, topic, partition)
),
ends AS MATERIALIZED (
    SELECT log, reached_at, begins, max(ends) OVER (PARTITION BY log ORDER BY reached_at) AS ends
    FROM (
        SELECT log, reached_at, min(begins) AS begins, max(ends) AS ends
        FROM (
            SELECT log, base_offset AS begins, last_offset + 1 AS ends,
                   make_timestamptz(1000 * max(max_timestamp_ms) OVER (PARTITION BY log ORDER BY base_offset)) AS reached_at
            FROM batches
            WHERE max_timestamp_ms BETWEEN 0 AND 253402300799999
            UNION ALL
            SELECT log, log_end_offset, log_end_offset, reached_at
            FROM core.log_ends JOIN places USING (cluster, topic, partition)
            WHERE source <> 'batch' AND log_end_offset IS NOT NULL AND reached_at IS NOT NULL
        )
        GROUP BY ALL
    )
),
last_ends AS (SELECT log, max(ends) AS ends FROM ends GROUP BY ALL),
starts AS MATERIALIZED (
    SELECT log, reached_at, max(log_start_offset) OVER (PARTITION BY log ORDER BY reached_at) AS begins
    FROM core.log_ends JOIN places USING (cluster, topic, partition)
    WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
),
last_starts AS (SELECT log, max(begins) AS begins FROM starts GROUP BY ALL),
logs AS MATERIALIZED (
    SELECT a.log, a."at", coalesce(s.begins, 0) AS log_start, greatest(n.begins, e.ends) AS log_end,
           e.ends IS NULL AND n.begins IS NOT NULL AS is_later
    FROM asked AS a
    ASOF LEFT JOIN ends AS e ON e.log = a.log AND e.reached_at <= a."at"
    ASOF LEFT JOIN ends AS n ON n.log = a.log AND n.reached_at > a."at"
    ASOF LEFT JOIN starts AS s ON s.log = a.log AND s.reached_at <= a."at"
),
-- When there was more to be read than was committed last.
unread AS (
    SELECT h.log, h.read_to, w.reached_at
    FROM (
        SELECT DISTINCT log, last.committed_offset AS read_to FROM hands
        WHERE last.committed_offset IS NOT NULL
    ) AS h
    ASOF JOIN ends AS w ON w.log = h.log AND w.ends > h.read_to
),
-- How far an owner may have read when it ended. An end below what it had committed proves that the end of then is not known.
read_to AS (
    SELECT h.*, u.log_start, n.log_end AS log_end_next, d.log_end AS log_end_stopped,
           coalesce(u.is_later AND u.log_end < h.last.committed_offset, FALSE) AS is_another_log,
           CASE WHEN u.log_end >= coalesce(h.last.committed_offset, 0) THEN u.log_end WHEN is_another_log THEN NULL
                WHEN l.ends >= h.last.committed_offset THEN l.ends END AS log_end,
           coalesce(u.log_end >= coalesce(h.last.committed_offset, 0), FALSE) AS is_log_end_known,
           date_diff('millisecond', greatest(h.last.committed_at, h.seen_at, w.reached_at), h.stopped_at) AS idle_ms
    FROM hands AS h
    LEFT JOIN logs AS u ON u.log = h.log AND u."at" = h.until_at
    LEFT JOIN logs AS d ON d.log = h.log AND d."at" = h.stopped_at
    LEFT JOIN logs AS n ON n.log = h.log AND n."at" = h.next_at
    LEFT JOIN last_ends AS l ON l.log = h.log
    LEFT JOIN unread AS w ON w.log = h.log AND w.read_to = h.last.committed_offset
),
-- Who goes on committing as before until it ends has left little or nothing behind; who fell silent while there was something to
-- read may have read all of it. Who was killed stopped somewhere between two commits. Of several that end at once, one may have
-- left long before, and the group have waited for the others.
endings AS (
    SELECT * REPLACE (
               if(cause = 'member left or crashed' AND NOT is_one_of_many AND interval_ms < session_timeout_ms
                  AND idle_ms BETWEEN 0 AND 3 * interval_ms + 5000, 'member crash', cause) AS cause
           ),
           coalesce(was_alive AND idle_ms <= greatest(3 * interval_ms, 1000), FALSE) AS is_clean,
           CASE WHEN cause IN ('unknown', 'group removed') THEN NULL
                WHEN last.is_transactional OR was_alive AND idle_ms <= 3 * coalesce(interval_ms, 0) + 5000 THEN 0
                WHEN NOT was_alive AND step IS NOT NULL
                     AND (session_timeout_ms IS NULL OR ended = 'replaced' OR idle_ms <= 3 * interval_ms + 5000)
                THEN least(TRY(last.committed_offset + ceil(step / 2)::BIGINT), log_end_stopped)
                ELSE coalesce(log_end_stopped, log_end) END AS probably_to
    FROM read_to
),
committed AS (
    SELECT DISTINCT cluster, group_id, topic, partition
    FROM core.commits SEMI JOIN (FROM hands WHERE standing IS NULL) USING (cluster, group_id, topic, partition)
),
-- Where an admin set the offset in between, or it was removed, that is told by itself.
handed AS (
    SELECT e.cluster, e.log_partition, e.group_id, e.topic, e.partition, how, next_log_offset AS log_offset,
           next_log_offset AS effective_log_offset, next_at AS "at", standing.committed_offset AS from_offset,
           NULL::BIGINT AS to_offset, coalesce(if(is_read_between, least(last.committed_offset, standing.committed_offset), standing.committed_offset), log_start, 0)
               AS possible_from,
           if(is_read_between, log_end_next, log_end) AS possible_to,
           NULL::BIGINT AS certain_from, NULL::BIGINT AS certain_to,
           if(probably_to IS NULL, NULL, possible_from) AS estimate_from,
           if(probably_to IS NULL, NULL, greatest(possible_from, least(log_end, probably_to))) AS estimate_to,
           coalesce(standing.committed_at, seen_at) AS from_time, cause, 'former owner' AS "by", member_id, client_id,
           client_host AS host, generation_before, generation_after,
           if(is_start_known AND is_end_known AND is_log_end_known, 'bounded', 'inferred') AS certainty,
           [standing.log_offset, until_log_offset, next_log_offset] AS evidence, is_another_log
    FROM (
        FROM endings WHERE standing IS NOT NULL
        UNION ALL
        FROM (FROM endings WHERE standing IS NULL) SEMI JOIN committed USING (cluster, group_id, topic, partition)
    ) AS e
    ANTI JOIN turns AS t
        ON t.cluster = e.cluster AND t.log_partition = e.log_partition AND t.group_id = e.group_id
            AND t.topic = e.topic AND t.partition = e.partition
        AND (t.removal_log_offset = e.standing.log_offset
             OR t.log_offset = e.standing.log_offset AND t.effective_log_offset > e.until_log_offset)
    WHERE next_log_offset IS NOT NULL AND standing.cause IS DISTINCT FROM 'topic deleted'
      AND coalesce(possible_to > possible_from, TRUE)
),
-- What stood before a lower commit, who had read before it and how far, and whether the log is still the one that was read.
told AS (SELECT DISTINCT cluster, group_id FROM core.generations),
lives AS (SELECT cluster, topic, max(first_seen_at) AS latest_at FROM core.topics GROUP BY ALL HAVING count(*) > 1),
diverged AS (
    SELECT cluster, topic, partition, min(base_offset) AS diverged_from, max(max_timestamp_ms) AS rewritten_ms
    FROM raw.diverged_batches GROUP BY ALL
),
-- Who commits before it processes, and is killed, has not done what it committed last. Who committed nothing, from the beginning
-- of what it owned on, leaves no doubt.
unsure AS (
    SELECT t.cluster, t.log_partition, t.log_offset,
           max(e.last.committed_offset) FILTER (
               e.until_log_offset < t.effective_log_offset AND e.last.committed_offset < t.previous_offset
           ) AS done_from,
           min(if(e.last.kind IN ('advance', 'repeat'), e.last.previous_offset, 0)) FILTER (
               e.until_log_offset > t.effective_log_offset OR e.last.committed_offset >= t.previous_offset
           ) AS done_to
    FROM turns AS t
    JOIN (FROM endings WHERE NOT was_alive AND (own > 0 OR NOT is_owner_known)) AS e USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
),
-- Members don't read what they go past, although they commit behind it.
passed_over AS (
    SELECT t.cluster, t.log_partition, t.log_offset, max(s.possible_to) AS passed_to
    FROM turns AS t JOIN mart.skips AS s USING (cluster, group_id, topic, partition)
    WHERE s.how IN ('overtaken', 'sought ahead') AND s.possible_from < t.previous_offset AND s.possible_to > t.committed_offset
    GROUP BY ALL
),
lowered AS (
    SELECT t.*, x.done_from, x.done_to, o.passed_to, e.cause AS ended_for, e.is_clean, e.log_end AS read_to_before,
           e.log_end_next, u.log_start, u.log_end, r.log_start AS removed_log_start,
           coalesce(u.is_later AND u.log_end < t.previous_offset, FALSE) AS is_another_log,
           if(is_another_log, NULL, u.log_end) AS known_end,
           if(r.is_later AND r.log_end < t.previous_offset, NULL, r.log_end) AS removed_log_end, least(m.log_end, r.log_end) AS same_to,
           b.log_end >= t.previous_offset AS was_there, d.diverged_from,
           s.begins AS last_log_start, l.latest_at > t.stood_at AS is_other_life,
           coalesce(m.log_end < t.previous_offset OR r.log_end < t.previous_offset AND b.log_end < t.previous_offset, FALSE)
               OR coalesce(d.diverged_from < t.previous_offset
                           AND (b.log_end < t.previous_offset OR d.rewritten_ms > epoch_ms(t.stood_at)), FALSE) AS is_cut,
           g.cluster IS NOT NULL AS is_told
    FROM (FROM turns JOIN places USING (cluster, topic, partition)) AS t
    ASOF LEFT JOIN (FROM endings SEMI JOIN turned USING (cluster, log_partition, group_id, topic, partition) WHERE how = 'handed over') AS e
        ON e.cluster = t.cluster AND e.log_partition = t.log_partition AND e.group_id = t.group_id
            AND e.topic = t.topic AND e.partition = t.partition
        AND e.until_log_offset < t.effective_log_offset
    LEFT JOIN logs AS u ON u.log = t.log AND u."at" = t.effective_at
    LEFT JOIN logs AS r ON r.log = t.log AND r."at" = t.removed_at
    LEFT JOIN logs AS m ON m.log = t.log AND m."at" = t.stood_at + INTERVAL 1 MINUTE
    LEFT JOIN logs AS b ON b.log = t.log AND b."at" = t.stood_at
    LEFT JOIN diverged AS d ON d.cluster = t.cluster AND d.topic = t.topic AND d.partition = t.partition
    LEFT JOIN last_starts AS s ON s.log = t.log
    LEFT JOIN lives AS l ON l.cluster = t.cluster AND l.topic = t.topic
    LEFT JOIN told AS g ON g.cluster = t.cluster AND g.group_id = t.group_id
    LEFT JOIN unsure AS x ON x.cluster = t.cluster AND x.log_partition = t.log_partition
        AND x.log_offset = t.log_offset
    LEFT JOIN passed_over AS o ON o.cluster = t.cluster AND o.log_partition = t.log_partition
        AND o.log_offset = t.log_offset
    WHERE t.is_same_topic IS DISTINCT FROM FALSE AND t.removed_for IS DISTINCT FROM 'topic deleted'
),
-- An offset that is set while a group has no members binds the member that comes next, and what members commit they declare to
-- have read: what they declared before and after was read twice. Members that move an offset themselves may have begun anywhere.
-- So may those that first commit beyond what stood: at the log end, or where an offset that they keep elsewhere had come to.
judged AS (
    SELECT *,
           CASE WHEN is_cut THEN 'truncated' WHEN is_after_removal AND NOT is_by_admin THEN 'begun at the start' ELSE 'set back' END
               AS how,
           CASE WHEN is_cut THEN log_start WHEN is_by_admin THEN committed_offset
                WHEN is_after_removal THEN coalesce(removed_log_start, 0) ELSE coalesce(log_start, 0) END AS possible_from,
           CASE WHEN is_cut THEN least(previous_offset, same_to, diverged_from)
                WHEN is_by_admin AND is_clean THEN previous_offset
                WHEN is_by_admin OR is_after_removal
                THEN greatest(previous_offset, coalesce(read_to_before, removed_log_end, known_end))
                    + if(read_to_before IS NULL AND removed_log_end IS NULL AND known_end IS NULL, NULL, 0)
                WHEN known_end IS NOT NULL THEN greatest(previous_offset, known_end) END AS possible_to,
           greatest(possible_from, committed_offset, final_offset, declared_from, last_log_start, done_from, passed_to) AS surely_from,
           least(previous_offset, stood_offset, read_to, diverged_from, done_to) AS surely_to,
           coalesce((state = 'Empty' OR is_after_removal) AND NOT is_transactional AND NOT is_cut AND is_other_life IS NOT TRUE
                    AND (log_end < previous_offset) IS NOT TRUE AND (NOT is_after_removal OR is_same_topic OR was_there)
                    AND (state <> 'Empty' OR begun_to < least(previous_offset, stood_offset))
                    AND declared_from IS NOT NULL AND previous_offset IS NOT NULL AND final_offset IS NOT NULL
                    AND surely_from < surely_to, FALSE) AS is_certain
    FROM (SELECT * REPLACE (is_cut AND NOT is_another_log AS is_cut) FROM lowered)
),
moved AS (
    SELECT *, CASE WHEN is_transactional THEN 'transaction' WHEN NOT is_told THEN written_by WHEN is_by_admin THEN 'admin'
                   WHEN state = 'Empty' THEN if(written_by = 'admin', 'simple consumer', written_by)
                   WHEN member_id IS NULL OR state NOT IN ('Stable', 'Assigning', 'Reconciling') THEN 'unknown'
                   WHEN owned_until > log_offset THEN 'owner' ELSE 'former owner' END AS "by"
    FROM (
        SELECT j.*, o.member_id, o.client_id, o.client_host AS host, coalesce(o.until_log_offset, 9223372036854775807) AS owned_until
        FROM judged AS j
        ASOF LEFT JOIN (FROM owners() SEMI JOIN turned USING (cluster, log_partition, group_id, topic, partition) WHERE topic IS NOT NULL) AS o
            ON o.cluster = j.cluster AND o.log_partition = j.log_partition AND o.group_id = j.group_id
                AND o.topic = j.topic AND o.partition = j.partition
            AND o.log_offset <= j.log_offset
    )
),
told_back AS (
    SELECT cluster, log_partition, group_id, topic, partition, how, log_offset, effective_log_offset, effective_at AS "at",
           if(how = 'set back', committed_offset, NULL) AS from_offset, previous_offset AS to_offset, possible_from, possible_to,
           if(is_certain, surely_from, NULL) AS certain_from, if(is_certain, surely_to, NULL) AS certain_to,
           CASE WHEN how = 'set back' AND is_by_admin
                THEN [least(greatest(committed_offset, final_offset), previous_offset),
                      greatest(least(previous_offset, stood_offset), least(greatest(committed_offset, final_offset), previous_offset))]
                WHEN how = 'set back' THEN [committed_offset, if("by" = 'former owner', committed_offset, previous_offset)]
                WHEN how = 'begun at the start' AND (committed_offset < previous_offset OR committed_offset < log_end_next)
                THEN [possible_from, greatest(possible_from, previous_offset)]
                WHEN how = 'begun at the start' AND minus(committed_offset, possible_from) > 2 * longest_step::HUGEINT AND log_end_next IS NOT NULL
                THEN [possible_from, possible_from] END AS estimate,
           stood_at AS from_time,
           CASE WHEN is_cut THEN 'truncation'
                WHEN is_by_admin THEN 'admin reset'
                WHEN is_after_removal THEN if(removed_for = 'unknown', 'offsets removed', removed_for)
                WHEN "by" = 'former owner' THEN 'late commit of a former owner' ELSE 'unknown' END AS cause,
           "by", if("by" IN ('owner', 'former owner', 'transaction'), member_id, NULL) AS member_id,
           if("by" IN ('owner', 'former owner', 'transaction'), client_id, NULL) AS client_id,
           if("by" IN ('owner', 'former owner', 'transaction'), host, NULL) AS host, generation_before, generation_after,
           CASE WHEN is_certain THEN 'certain' WHEN how = 'set back' AND possible_to IS NOT NULL THEN 'bounded' ELSE 'inferred' END
               AS certainty,
           [stood_log_offset, removal_log_offset, if(state = 'Empty', state_log_offset, NULL), log_offset] AS evidence,
           is_another_log
    FROM moved
    WHERE coalesce(possible_to > possible_from, TRUE)
),
claims AS MATERIALIZED (
    SELECT *, coalesce(to_offset, greatest(estimate_to, TRY(possible_from + 1))) AS goal
    FROM places
    JOIN (
        FROM handed
        UNION ALL BY NAME
        SELECT * EXCLUDE (estimate), if(estimate[1] IS NULL, NULL, greatest(estimate[1], possible_from)) AS estimate_from,
               if(estimate[2] IS NULL, NULL, greatest(estimate[2], possible_from)) AS estimate_to
        FROM told_back
    ) USING (cluster, topic, partition)
),
-- Records are counted up to each edge of a range: those before it less those before the other.
edges AS MATERIALIZED (
    SELECT DISTINCT log, edge
    FROM (SELECT log, unnest([possible_from, possible_to, certain_from, certain_to]) AS edge FROM claims)
    WHERE edge IS NOT NULL
),
ended AS (
    SELECT b.*, m.outcome
    FROM (FROM batches WHERE is_transactional) AS b
    ASOF LEFT JOIN (
        SELECT log, producer_id, base_offset AS ended_at, control_type AS outcome
        FROM batches WHERE is_control AND producer_id IS NOT NULL
    ) AS m
        ON m.log = b.log AND m.producer_id = b.producer_id AND m.ended_at > b.base_offset
),
summed AS (
    SELECT *, sum(span) OVER log AS spans, sum(records) OVER log AS all_records, count_if(records IS NULL) OVER log AS unknown,
           sum(size_bytes) OVER log AS bytes
    FROM (
        SELECT log, base_offset, last_offset, max_timestamp_ms, size_bytes, last_offset - base_offset + 1 AS span,
               CASE WHEN is_control OR is_transactional AND outcome = 'ABORT' THEN 0
                    WHEN NOT is_transactional OR outcome = 'COMMIT' THEN record_count END AS records
        FROM (FROM ended UNION ALL BY NAME FROM batches WHERE is_transactional IS NOT TRUE)
    )
    WINDOW log AS (PARTITION BY log ORDER BY base_offset)
),
below AS MATERIALIZED (
    SELECT e.log, e.edge, coalesce(spans - greatest(b.last_offset + 1 - edge, 0), 0) AS spans,
           CASE WHEN spans IS NULL THEN 0 WHEN b.last_offset < edge OR records = 0 THEN all_records
                WHEN records = span THEN all_records - (b.last_offset + 1 - edge) END AS records,
           coalesce(unknown, 0) AS unknown, coalesce(bytes, 0) AS bytes_to,
           coalesce(if(b.last_offset < edge, bytes, bytes - size_bytes), 0) AS bytes_from, max_timestamp_ms,
           n.base_timestamp_ms AS first_ms
    FROM edges AS e
    ASOF LEFT JOIN summed AS b ON b.log = e.log AND b.base_offset < e.edge
    ASOF LEFT JOIN (SELECT log, last_offset, base_timestamp_ms FROM batches) AS n ON n.log = e.log AND n.last_offset >= e.edge
),
sized AS (
    SELECT c.*, h.spans - l.spans = minus(c.possible_to, c.possible_from) AND NOT is_another_log AS is_seen, h.unknown = l.unknown AS is_told,
           h.records - l.records AS records, h.bytes_to - l.bytes_from AS size,
           if(g.spans - f.spans = minus(c.certain_to, c.certain_from) AND NOT is_another_log AND g.unknown = f.unknown, g.records - f.records, NULL)::BIGINT
               AS records_certain,
           l.first_ms, h.max_timestamp_ms AS last_ms
    FROM claims AS c
    LEFT JOIN below AS l ON l.log = c.log AND l.edge = c.possible_from
    LEFT JOIN below AS h ON h.log = c.log AND h.edge = c.possible_to
    LEFT JOIN below AS f ON f.log = c.log AND f.edge = c.certain_from
    LEFT JOIN below AS g ON g.log = c.log AND g.edge = c.certain_to
)
SELECT s.cluster, s.group_id, s.topic, s.partition, s.how, from_offset, to_offset, possible_from, possible_to, certain_from, certain_to,
       estimate_from, estimate_to, if(is_seen AND is_told, s.records, NULL)::BIGINT AS records_possible, records_certain,
       if(is_seen, size, NULL)::BIGINT AS bytes,
       if(is_seen, instant_of(first_ms), NULL) AS first_record_at,
       if(is_seen, instant_of(last_ms), NULL) AS last_record_at,
       from_time, "at", "at" AS detected_at, cause, "by", member_id, client_id, host, generation_before, generation_after,
       certainty, s.log_partition, s.log_offset,
       list_sort(list_distinct(evidence)) AS evidence,
       k.key, effective_log_offset AS begins, goal
FROM sized AS s
JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
WHERE s.how IN ('set back', 'truncated') OR (is_seen AND is_told AND s.records = 0) IS NOT TRUE
ORDER BY k.rank, how, from_offset, to_offset, possible_from, possible_to, certain_from, certain_to, estimate_from, estimate_to, from_time,
         "at", s.log_partition, s.log_offset
