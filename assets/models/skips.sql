-- Offsets that a group went past without reading them, as far as commits, removals and log starts tell.
WITH moves AS (
    SELECT c.*, g.state, g.log_offset AS state_log_offset, g.generation, g.from_at AS state_at
    FROM (
        SELECT cluster, group_id, topic, partition, log_partition, log_offset, effective_log_offset, effective_at,
               kind, committed_offset, previous_offset, is_transactional
        FROM core.commits WHERE kind IN ('advance', 'first')
    ) AS c
    ASOF LEFT JOIN core.generations AS g
        ON (c.cluster, c.log_partition, c.group_id) = (g.cluster, g.log_partition, g.group_id)
        AND c.effective_log_offset > g.log_offset
),
removals AS (
    SELECT cluster, group_id, topic, partition, log_offset, effective_log_offset, previous_offset
    FROM core.commits WHERE kind = 'removed' AND previous_offset IS NOT NULL
),
starts AS (
    SELECT cluster, topic, partition, log_start_offset, min(reached_at) AS known_at
    FROM core.log_ends WHERE log_start_offset > 0
    GROUP BY ALL
),
ends AS (
    SELECT cluster, topic, partition, reached_at,
           max(log_end_offset) OVER (PARTITION BY cluster, topic, partition ORDER BY reached_at) AS log_end_offset
    FROM core.log_ends WHERE log_end_offset IS NOT NULL AND reached_at IS NOT NULL
),
-- Set forward while the group had no members, and only once: whoever commits again and again then, reads. A member that died
-- may have read on from its last commit, though no further than the log reached when the group was found empty.
set_forward AS (
    SELECT m.*, 'set forward' AS skip, previous_offset AS outer_from, committed_offset AS outer_to,
           committed_offset AS estimate_to, 'admin reset' AS cause, NULL::BIGINT AS before_log_offset,
           e.log_end_offset AS members_read_to
    FROM (
        FROM moves
        WHERE kind = 'advance' AND state = 'Empty' AND NOT is_transactional
        QUALIFY count(*) OVER (PARTITION BY cluster, log_partition, group_id, topic, partition, state_log_offset) = 1
    ) AS m
    ASOF LEFT JOIN ends AS e
        ON (m.cluster, m.topic, m.partition) = (e.cluster, e.topic, e.partition) AND m.state_at >= e.reached_at
),
-- The offset was removed and the next commit is higher: the members may have begun at the log end that they met.
begun_at_the_end AS (
    SELECT m.* EXCLUDE (removed_offset, removal_log_offset), 'begun at the end' AS skip, removed_offset AS outer_from,
           committed_offset AS outer_to,
           if(e.log_end_offset > removed_offset AND e.log_end_offset <= committed_offset, e.log_end_offset, NULL)
               AS estimate_to,
           'offsets removed' AS cause, removal_log_offset AS before_log_offset, NULL::BIGINT AS members_read_to
    FROM (
        SELECT m.*, r.previous_offset AS removed_offset, r.log_offset AS removal_log_offset
        FROM moves AS m
        ASOF JOIN removals AS r
            ON (m.cluster, m.group_id, m.topic, m.partition) = (r.cluster, r.group_id, r.topic, r.partition)
            AND m.effective_log_offset > r.effective_log_offset
        WHERE m.kind = 'first' AND m.committed_offset > r.previous_offset
    ) AS m
    ASOF LEFT JOIN ends AS e
        ON (m.cluster, m.topic, m.partition) = (e.cluster, e.topic, e.partition) AND m.state_at >= e.reached_at
),
steps AS (
    SELECT c.cluster, c.group_id, c.topic, c.partition, c.log_partition, c.log_offset,
           lag(c.effective_at) OVER (
               PARTITION BY c.cluster, c.group_id, c.topic, c.partition ORDER BY c.effective_log_offset, c.log_offset
           ) AS before_at,
           max(if(c.previous_offset < s.log_start_offset AND c.committed_offset >= s.log_start_offset, NULL, c.delta))
               OVER (PARTITION BY c.cluster, c.group_id, c.topic) AS longest
    FROM core.commits AS c
    JOIN (SELECT cluster, topic, partition, max(log_start_offset) AS log_start_offset FROM starts GROUP BY ALL) AS s
        USING (cluster, topic, partition)
),
last_read AS (
    SELECT cluster, topic, partition, log_start_offset, max(effective_at) AS last_read_at
    FROM starts JOIN core.commits USING (cluster, topic, partition)
    WHERE kind = 'advance' AND committed_offset <= log_start_offset
    GROUP BY ALL
),
-- The log began after what was committed. Where that was found only later, a step over the log start tells it from reading on:
-- one longer than all others of the group in the topic, that ends no farther behind the log start than they go, after the
-- last time that anybody read what lies before it. Members who begin at the log end instead come out beyond the end it had before.
overtaken AS (
    SELECT m.* EXCLUDE (before_at, longest, log_start_offset, known_at), 'overtaken' AS skip, previous_offset AS outer_from,
           if(committed_offset < e.log_end_offset, log_start_offset, committed_offset) AS outer_to,
           log_start_offset AS estimate_to, 'retention' AS cause, NULL::BIGINT AS before_log_offset,
           NULL::BIGINT AS members_read_to
    FROM (
        SELECT m.*, t.before_at, t.longest, s.log_start_offset, s.known_at
        FROM moves AS m
        JOIN steps AS t USING (cluster, group_id, topic, partition, log_partition, log_offset)
        JOIN starts AS s USING (cluster, topic, partition)
        LEFT JOIN last_read AS l USING (cluster, topic, partition, log_start_offset)
        WHERE m.kind = 'advance' AND m.state IS DISTINCT FROM 'Empty'
          AND m.previous_offset < s.log_start_offset AND m.committed_offset >= s.log_start_offset
          AND (s.known_at <= m.effective_at
               OR (s.log_start_offset - m.previous_offset > t.longest
                   AND m.committed_offset - s.log_start_offset <= t.longest
                   AND coalesce(l.last_read_at <= m.effective_at, TRUE)))
        QUALIFY row_number() OVER (
            PARTITION BY m.cluster, m.log_partition, m.log_offset ORDER BY s.log_start_offset DESC
        ) = 1
    ) AS m
    ASOF LEFT JOIN ends AS e
        ON (m.cluster, m.topic, m.partition) = (e.cluster, e.topic, e.partition) AND m.before_at >= e.reached_at
),
skips AS (FROM set_forward UNION ALL BY NAME FROM begun_at_the_end UNION ALL BY NAME FROM overtaken),
-- What was committed before, and where the group came back to, was or will be read after all.
read AS (
    SELECT s.cluster, s.log_partition, s.log_offset,
           max(c.committed_offset) FILTER (c.effective_log_offset < s.effective_log_offset) AS read_before_to,
           min(c.committed_offset) FILTER (c.effective_log_offset > s.effective_log_offset) AS read_after_from,
           arg_max(c.log_offset, (c.effective_log_offset, c.log_offset))
               FILTER (c.effective_log_offset < s.effective_log_offset) AS stood_log_offset,
           max(c.effective_at) FILTER (c.effective_log_offset < s.effective_log_offset) AS stood_at
    FROM skips AS s
    JOIN core.commits AS c USING (cluster, group_id, topic, partition)
    GROUP BY ALL
),
bounded AS (
    SELECT s.*, r.stood_log_offset, r.stood_at,
           greatest(outer_from, read_before_to, members_read_to) AS certain_from, least(outer_to, read_after_from) AS certain_to,
           coalesce(members_read_to >= 0 AND state_log_offset > stood_log_offset AND certain_from < certain_to, FALSE)
               AS is_certain
    FROM skips AS s LEFT JOIN read AS r USING (cluster, log_partition, log_offset)
),
counted AS (
    SELECT s.cluster, s.log_partition, s.log_offset,
           sum(least(b.last_offset + 1, outer_to) - greatest(b.base_offset, outer_from)) AS covered,
           bool_and(b.is_control OR coalesce(b.record_count = b.last_offset - b.base_offset + 1 AND NOT b.is_transactional, FALSE))
               AS is_dense,
           sum(if(b.is_control, 0, least(b.last_offset + 1, outer_to) - greatest(b.base_offset, outer_from))) AS records,
           sum(b.size_bytes) AS bytes, min(b.base_timestamp_ms) AS first_ms, max(b.max_timestamp_ms) AS last_ms
    FROM bounded AS s
    JOIN raw.batches AS b
        ON (b.cluster, b.topic, b.partition) = (s.cluster, s.topic, s.partition)
        AND b.last_offset >= outer_from AND b.base_offset < outer_to
    GROUP BY ALL
)
SELECT s.cluster, group_id, topic, partition, skip AS how, outer_from, outer_to,
       if(is_certain, certain_from, NULL) AS certain_from, if(is_certain, certain_to, NULL) AS certain_to,
       if(estimate_to IS NULL, NULL, outer_from) AS estimate_from, estimate_to,
       if(covered = outer_to - outer_from AND is_dense, records, NULL)::BIGINT AS records_outer,
       if(covered = outer_to - outer_from, bytes, NULL)::BIGINT AS bytes,
       if(covered = outer_to - outer_from AND first_ms >= 0, make_timestamptz(first_ms * 1000), NULL) AS first_record_at,
       if(covered = outer_to - outer_from AND last_ms >= 0, make_timestamptz(last_ms * 1000), NULL) AS last_record_at,
       stood_at AS from_time, effective_at AS detected_at, cause,
       CASE WHEN is_certain THEN 'certain' WHEN skip = 'set forward' THEN 'bounded' ELSE 'inferred' END AS confidence,
       generation, log_partition, log_offset,
       list_sort(list_filter(
           [coalesce(before_log_offset, stood_log_offset), state_log_offset, log_offset], lambda position: position IS NOT NULL
       )) AS evidence
FROM bounded AS s LEFT JOIN counted USING (cluster, log_partition, log_offset)
ORDER BY ALL
