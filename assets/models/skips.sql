-- Offsets that a group went past without reading them, as far as commits, removals, states and log starts tell. Few commits
-- are candidates. They are found without sorting all of them: by bins of 65,536 offsets, in which states and log starts lie.
-- What is looked for among all commits goes through the macro `_cardinality_hint`, so that they pass by and are not kept in memory.
-- Where each key stands, and what its commits say of leader epochs: by one look at all of them.
WITH keyed AS MATERIALIZED (
    SELECT cluster, log_partition, group_id, topic, partition, max(effective_at) AS effective_at,
           max(effective_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS place,
           count(leader_epoch) FILTER (kind IN ('advance', 'repeat')) AS with_epoch,
           count_if(leader_epoch IS NULL AND kind = 'advance') AS without_epoch
    FROM core.commits GROUP BY ALL
),
-- What is asked of commits, whatever they may turn out to be: few of their columns.
steps AS NOT MATERIALIZED (
    SELECT cluster, group_id, topic, partition, log_partition, log_offset, effective_log_offset, effective_at, kind, committed_offset,
           previous_offset, leader_epoch, topic_id, is_transactional, actor
    FROM core.commits
),
bins AS (SELECT DISTINCT cluster, log_partition, effective_log_offset >> 16 AS bin FROM core.commits),
newest AS (FROM newest_of('keyed')),
states AS MATERIALIZED (
    SELECT cluster, log_partition, group_id, state, generation, log_offset AS state_log_offset, from_at AS state_at,
           coalesce(is_gap_free, FALSE) AS is_state_whole, coalesce(state IN ('Empty', 'Dead'), FALSE) AS is_memberless,
           lead(log_offset) OVER log AS next_log_offset, lead(from_at) OVER log AS next_at
    FROM core.group_states WHERE source IS DISTINCT FROM 'server.log'
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
),
memberless AS (
    SELECT s.*, b.bin
    FROM states AS s
    JOIN bins AS b
        ON b.cluster = s.cluster AND b.log_partition = s.log_partition AND b.bin >= s.state_log_offset >> 16
        AND b.bin <= coalesce(s.next_log_offset, 9223372036854775807) >> 16
    WHERE is_memberless
),
starts AS MATERIALIZED (
    SELECT *, log_start_offset >> 16 AS bin, max(still_at) OVER (
               PARTITION BY cluster, topic, partition ORDER BY log_start_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ) AS began_earlier_at
    FROM log_starts('keyed')
),
-- Set forward while the group had no members. A client that commits more often than an admin would reads without a group.
moved AS MATERIALIZED (
    SELECT c.*, m.state, m.state_log_offset, m.state_at, m.is_state_whole, count(*) OVER state AS commits_in_state,
           count_if(c.kind IN ('advance', 'first')) OVER state AS moves
    FROM steps AS c
    JOIN _cardinality_hint('memberless') AS m
        ON m.cluster = c.cluster AND m.log_partition = c.log_partition AND m.group_id = c.group_id
        AND m.bin = c.effective_log_offset >> 16 AND m.state_log_offset < c.effective_log_offset
        AND coalesce(c.effective_log_offset < m.next_log_offset, TRUE)
    WHERE c.kind <> 'removed' AND c.is_transactional IS DISTINCT FROM TRUE
    WINDOW state AS (PARTITION BY c.cluster, c.log_partition, c.group_id, c.topic, c.partition, m.state_log_offset)
    QUALIFY moves <= 3 AND c.kind IN ('advance', 'first')
),
removals AS (
    SELECT cluster, group_id, topic, partition, log_offset AS removal_log_offset, effective_log_offset,
           previous_offset AS removed_offset, coalesce(nullif(cause, 'unknown'), 'offsets_removed') AS removal_cause
    FROM removal_causes() WHERE previous_offset IS NOT NULL AND cause IS DISTINCT FROM 'topic_deleted'
),
firsts AS MATERIALIZED (
    SELECT c.*, r.removal_log_offset, r.removed_offset, r.removal_cause
    FROM (FROM steps WHERE kind = 'first') AS c
    ASOF JOIN removals AS r
        ON r.cluster = c.cluster AND r.group_id = c.group_id AND r.topic = c.topic AND r.partition = c.partition
        AND r.effective_log_offset < c.effective_log_offset
),
set_forward AS (
    SELECT m.*, 'set_forward' AS claim_kind, coalesce(m.previous_offset, f.removed_offset) AS possible_from,
           m.committed_offset AS possible_to, f.removal_log_offset, s.is_in_segment, s.expires_at,
           if(m.state = 'Empty' AND m.actor = 'admin', 'admin_reset', 'unknown') AS else_cause,
           if(s.log_start_offset IS NULL, else_cause, 'log_start') AS cause
    FROM moved AS m
    LEFT JOIN firsts AS f USING (cluster, log_partition, log_offset)
    LEFT JOIN starts AS s
        ON s.cluster = m.cluster AND s.topic = m.topic AND s.partition = m.partition
            AND s.log_start_offset = m.committed_offset
        AND s.log_start_offset > 0
),
named AS (SELECT cluster, topic_id, arg_max(topic, last_seen_at) AS topic FROM core.topics GROUP BY ALL),
owners AS (
    SELECT o.cluster, o.log_partition, o.group_id, coalesce(o.topic, n.topic) AS topic, o.partition,
           o.log_offset AS owned_log_offset, o.seen_at AS owned_at
    FROM core.ownership AS o
    SEMI JOIN firsts USING (cluster, log_partition, group_id, partition)
    LEFT JOIN named AS n USING (cluster, topic_id)
),
-- The offset was removed, and what members committed next is higher: they may have begun at the log end that they met. Members
-- who were there all the time read on from where they were.
begun AS (
    SELECT f.*, 'restarted_at_latest' AS claim_kind, f.removed_offset AS possible_from, f.committed_offset AS possible_to,
           f.removal_cause AS cause, s.state_log_offset,
           if(o.owned_log_offset > f.removal_log_offset, o.owned_at, s.state_at) AS asked_at
    FROM firsts AS f
    ASOF LEFT JOIN states AS s
        ON s.cluster = f.cluster AND s.log_partition = f.log_partition AND s.group_id = f.group_id
        AND s.state_log_offset < f.effective_log_offset
    ASOF LEFT JOIN owners AS o
        ON o.cluster = f.cluster AND o.log_partition = f.log_partition AND o.group_id = f.group_id
            AND o.topic = f.topic AND o.partition = f.partition
        AND o.owned_log_offset < f.effective_log_offset
    WHERE NOT coalesce(s.is_memberless, FALSE) AND coalesce(s.state_log_offset > f.removal_log_offset, TRUE)
),
-- Commits that went over a log start, unless the log still began before it later.
near AS (
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM steps AS c
    JOIN _cardinality_hint('starts') AS s
        ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition AND s.bin = c.committed_offset >> 16
    WHERE c.kind = 'advance' AND c.previous_offset < s.log_start_offset AND c.committed_offset >= s.log_start_offset
    UNION ALL
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM steps AS c
    JOIN _cardinality_hint('starts') AS s
        ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition AND s.bin = c.previous_offset >> 16
    WHERE c.kind = 'advance' AND c.previous_offset < s.log_start_offset AND s.bin < c.committed_offset >> 16
    UNION ALL
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM steps AS c
    JOIN _cardinality_hint('starts') AS s ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition
    WHERE c.kind = 'advance' AND c.committed_offset >> 16 > (c.previous_offset >> 16) + 1
      AND s.bin > c.previous_offset >> 16 AND s.bin < c.committed_offset >> 16
),
crossing AS MATERIALIZED (
    SELECT n.* EXCLUDE (began_earlier_at, log_topic_id), e.state_log_offset, e.state_at, e.next_at AS members_at, e.is_state_whole
    FROM (
        FROM near ANTI JOIN moved USING (cluster, log_partition, log_offset)
        WHERE coalesce(effective_at > began_earlier_at, TRUE) AND (topic_id <> log_topic_id) IS NOT TRUE
    ) AS n
    ASOF LEFT JOIN (FROM states WHERE is_memberless) AS e
        ON e.cluster = n.cluster AND e.log_partition = n.log_partition AND e.group_id = n.group_id
        AND e.state_log_offset < n.effective_log_offset
),
crossed_starts AS (SELECT DISTINCT cluster, topic, partition, log_start_offset FROM crossing),
read_last AS (
    SELECT cluster, topic, partition, log_start_offset, max(effective_at) AS read_last_at
    FROM core.commits JOIN _cardinality_hint('crossed_starts') USING (cluster, topic, partition)
    WHERE kind = 'advance' AND committed_offset <= log_start_offset
    GROUP BY ALL
),
overtaken AS (
    SELECT c.*, 'overtaken_by_log_start' AS claim_kind, previous_offset AS possible_from, committed_offset AS possible_to, 'log_start' AS cause,
           coalesce(read_last_at <= effective_at, TRUE) AS is_read_by_none
    FROM crossing AS c
    LEFT JOIN read_last USING (cluster, topic, partition, log_start_offset)
),
-- The last commit of a key may lie before a log start only where one is known.
lasting AS (
    SELECT cluster, log_partition, (place % 9223372036854775808)::BIGINT AS log_offset, k.group_id, k.topic, k.partition
    FROM keyed AS k SEMI JOIN starts USING (cluster, topic, partition)
    QUALIFY row_number() OVER (PARTITION BY k.cluster, k.group_id, k.topic, k.partition ORDER BY place DESC) = 1
),
standing AS (
    SELECT c.cluster, c.group_id, c.topic, c.partition, c.log_partition, c.log_offset, c.effective_log_offset, c.effective_at,
           c.kind, c.committed_offset, c.topic_id
    FROM core.commits AS c JOIN _cardinality_hint('lasting') AS l USING (cluster, log_partition, log_offset)
),
-- Members never came back to what is committed, and the log begins beyond it.
left_behind AS (
    SELECT b.* EXCLUDE (gone_before), 'below_log_start' AS claim_kind, 'log_start' AS cause, log_start_offset AS possible_to,
           greatest(committed_offset, gone_before) AS possible_from, s.is_in_segment, s.known_at, s.expires_at, s.written_at
    FROM (
        SELECT c.*, max(log_start_offset) FILTER ((known_at <= effective_at) IS NOT TRUE) AS log_start_offset,
               max(log_start_offset) FILTER (known_at <= effective_at) AS gone_before
        FROM standing AS c JOIN starts AS s USING (cluster, topic, partition)
        WHERE c.committed_offset < s.log_start_offset AND (c.topic_id <> s.topic_id) IS NOT TRUE
        GROUP BY ALL
    ) AS b
    JOIN starts AS s USING (cluster, topic, partition, log_start_offset)
),
stepping AS (
    SELECT cluster, group_id, topic FROM crossing UNION SELECT cluster, group_id, topic FROM begun
    UNION SELECT cluster, group_id, topic FROM left_behind
),
longest AS (
    SELECT cluster, group_id, topic, max(delta) AS longest
    FROM core.commits
    JOIN _cardinality_hint('stepping') USING (cluster, group_id, topic)
    ANTI JOIN crossing USING (cluster, log_partition, log_offset)
    ANTI JOIN moved USING (cluster, log_partition, log_offset)
    GROUP BY ALL
),
-- A client knows the leader epoch of what it read last. A commit without one that goes ahead, amid those that have one, is where
-- it was told to go on, or where the log began by then; unless its members end there: who is told to go back does so, too.
epochs AS (
    SELECT cluster, group_id, topic, partition
    FROM keyed
    GROUP BY ALL HAVING sum(with_epoch) >= 20 * sum(without_epoch) AND sum(without_epoch) > 0
),
sought AS (
    SELECT c.*, 'skipped_ahead' AS claim_kind, previous_offset AS possible_from, committed_offset AS possible_to,
           if(l.log_start_offset > previous_offset, 'unknown', 'seek') AS cause, s.state_log_offset, s.next_log_offset,
           s.is_memberless
    FROM (FROM steps JOIN _cardinality_hint('epochs') USING (cluster, group_id, topic, partition)
          WHERE kind = 'advance' AND leader_epoch IS NULL AND is_transactional IS NOT DISTINCT FROM FALSE) AS c
    ASOF JOIN states AS s
        ON s.cluster = c.cluster AND s.log_partition = c.log_partition AND s.group_id = c.group_id
        AND s.state_log_offset < c.effective_log_offset
    LEFT JOIN (SELECT cluster, topic, partition, max(log_start_offset) AS log_start_offset FROM starts GROUP BY ALL) AS l
        ON l.cluster = c.cluster AND l.topic = c.topic AND l.partition = c.partition
),
candidates AS (
    FROM set_forward UNION ALL BY NAME FROM begun UNION ALL BY NAME FROM overtaken
    UNION ALL BY NAME FROM left_behind UNION ALL BY NAME (FROM sought WHERE NOT is_memberless)
),
placed AS MATERIALIZED (FROM candidates WHERE possible_from >= 0 AND possible_from < possible_to),
-- What the group committed there before and after.
told AS MATERIALIZED (
    SELECT p.cluster, p.log_partition, p.log_offset, p.claim_kind,
           max((c.effective_log_offset, c.log_offset)) FILTER (is_before AND c.committed_offset IS NOT NULL) AS stood,
           arg_max(c.effective_at, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS stood_at,
           arg_max(c.effective_at, (c.effective_log_offset, c.log_offset)) FILTER (is_before AND c.kind <> 'repeat') AS reached_at,
           arg_max(c.leader_epoch IS NOT NULL, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS is_epoch_before,
           arg_min(c.leader_epoch IS NOT NULL AND c.committed_offset > p.committed_offset, (c.effective_log_offset, c.log_offset))
               FILTER (is_after AND c.committed_offset IS DISTINCT FROM p.committed_offset
                       AND (c.effective_log_offset < p.next_log_offset) IS NOT FALSE) AS is_epoch_after,
           arg_max(c.topic_id, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS stood_topic_id,
           max(c.committed_offset) FILTER (is_before) AS read_before_to,
           min(c.committed_offset) FILTER (is_after) AS read_after_from,
           max(c.effective_log_offset) FILTER (is_after AND c.kind = 'removed') AS removed_later,
           coalesce(bool_or(is_after AND (c.kind IN ('first', 'unknown')
                                          OR c.kind = 'rewind' AND c.actor IS DISTINCT FROM 'admin')), FALSE) AS is_begun_anew
    FROM core.commits AS c
    JOIN _cardinality_hint('placed') AS p USING (cluster, group_id, topic, partition),
    LATERAL (SELECT (c.effective_log_offset, c.log_offset + (p.claim_kind <> 'below_log_start')::INT)
                        <= (p.effective_log_offset, p.log_offset) AS is_before,
                    (c.effective_log_offset, c.log_offset) > (p.effective_log_offset, p.log_offset) AS is_after)
    GROUP BY ALL
),
moments AS (
    SELECT DISTINCT cluster, topic, partition, unnest([state_at, asked_at, stood_at, members_at, effective_at]) AS moment
    FROM placed JOIN told USING (cluster, log_partition, log_offset, claim_kind)
),
known AS MATERIALIZED (FROM log_bounds('moments')),
went_on AS (
    SELECT cluster, log_partition, group_id, max(coalesce(next_log_offset, 9223372036854775807)) AS members_to
    FROM states WHERE NOT is_memberless GROUP BY ALL
),
later_starts AS (
    SELECT p.cluster, p.log_partition, p.log_offset, min(s.log_start_offset) AS start_later
    FROM placed AS p JOIN starts AS s USING (cluster, topic, partition)
    WHERE p.claim_kind = 'overtaken_by_log_start' AND s.still_at >= p.effective_at
    GROUP BY ALL
),
-- Who restarted at the log start once does so again. Of topics with several ids nobody knows which one a commit is of.
restarts AS (SELECT DISTINCT cluster, group_id, topic FROM firsts WHERE committed_offset < removed_offset),
lives AS (SELECT cluster, topic FROM core.topics GROUP BY ALL HAVING count(*) > 1),
last_starts AS (SELECT cluster, topic, partition, max(log_start_offset) AS last_start FROM starts GROUP BY ALL),
measured AS (
    SELECT p.*, t.* EXCLUDE (cluster, log_partition, log_offset, claim_kind, stood), t.stood[2] AS stood_log_offset, l.start_later,
           met.end_then AS end_met, stood.end_then AS end_stood,
           coalesce(stood.appended_from = 0 AND went.appended_from = 0 AND p.possible_from > 0, FALSE)
               AND p.claim_kind IN ('set_forward', 'restarted_at_latest', 'skipped_ahead') AS is_earlier_log,
           coalesce(p.topic_id <> t.stood_topic_id, FALSE) AS is_another_topic,
           coalesce(stood.appended_from = 0 AND p.possible_from > 0, FALSE) AS is_later_log,
           g.longest, coalesce(b.last_start, 0) AS last_start, r.group_id IS NOT NULL AS is_restarted_low,
           v.topic IS NOT NULL AND (p.topic_id = t.stood_topic_id) IS NOT TRUE AS is_life_unknown, n.newest_at,
           alone.end_most AS members_read_to,
           coalesce(p.state_log_offset > t.stood[1], FALSE) AS is_alone_since,
           coalesce(t.removed_later < w.members_to, FALSE) OR t.is_begun_anew AS is_read_anew
    FROM placed AS p
    JOIN told AS t USING (cluster, log_partition, log_offset, claim_kind)
    LEFT JOIN later_starts AS l USING (cluster, log_partition, log_offset)
    LEFT JOIN went_on AS w USING (cluster, log_partition, group_id)
    LEFT JOIN longest AS g USING (cluster, group_id, topic)
    LEFT JOIN restarts AS r USING (cluster, group_id, topic)
    LEFT JOIN last_starts AS b USING (cluster, topic, partition)
    LEFT JOIN lives AS v USING (cluster, topic)
    LEFT JOIN newest AS n USING (cluster)
    LEFT JOIN known AS alone
        ON alone.cluster = p.cluster AND alone.topic = p.topic AND alone.partition = p.partition
            AND alone.moment = p.state_at
    LEFT JOIN known AS stood
        ON stood.cluster = p.cluster AND stood.topic = p.topic AND stood.partition = p.partition
            AND stood.moment = t.stood_at
    LEFT JOIN known AS went
        ON went.cluster = p.cluster AND went.topic = p.topic AND went.partition = p.partition
            AND went.moment = p.effective_at
    LEFT JOIN known AS met
        ON met.cluster = p.cluster AND met.topic = p.topic AND met.partition = p.partition
        AND met.moment = coalesce(p.asked_at, if(p.state_log_offset > t.stood[1], p.members_at, t.stood_at))
),
-- Across two lives of a topic, told by its ids or because all of its log came in between, nothing is claimed: that is another log.
-- What a group went past in an earlier life, before any of the log came, it did go past; of its records nothing is known.
-- Where a log start was found later, a step over it tells it from reading on: one longer than all others of the group in the
-- topic, or the first after nobody was there, after the last time that anybody read what lies before it. It ends no farther
-- behind the log start than the others go, or behind the log end that the members met, if they went on there instead; or it is the
-- first and more than twice as long as they are: of who comes back and commits seldom nobody can tell where it went on.
claims AS (
    SELECT * REPLACE (
        CASE WHEN claim_kind = 'below_log_start' AND kind = 'rewind' THEN greatest(possible_from, read_before_to) ELSE possible_from END AS possible_from,
        CASE WHEN claim_kind = 'overtaken_by_log_start' AND committed_offset < end_stood
             THEN greatest(log_start_offset, least(committed_offset, start_later)) ELSE possible_to END AS possible_to
    ),
    CASE claim_kind WHEN 'set_forward' THEN CASE WHEN leader_epoch IS NOT NULL OR actor = 'simple_consumer' THEN possible_from
                                          WHEN is_reset THEN possible_to END
             WHEN 'skipped_ahead' THEN if(cause = 'seek', possible_to, NULL)
             WHEN 'below_log_start' THEN if((is_cause_known OR known_at IS NOT NULL) AND NOT is_life_unknown
                                        AND minus(possible_to, committed_offset) > coalesce(longest, 0), possible_to, NULL)
             WHEN 'restarted_at_latest' THEN if(is_at_end, end_met, NULL)
             WHEN 'overtaken_by_log_start' THEN CASE WHEN NOT is_gone THEN NULL WHEN is_near_start THEN log_start_offset
                                        WHEN is_near_end THEN end_met END END AS estimate_to
    FROM (
        SELECT *, coalesce(known_at <= effective_at OR minus(committed_offset, log_start_offset) <= longest, TRUE) AS is_near_start,
               coalesce(committed_offset >= end_met AND minus(committed_offset, end_met) <= longest, FALSE) AS is_near_end,
               coalesce(is_alone_since AND minus(committed_offset, previous_offset) > 2 * longest::HUGEINT, FALSE) AS is_far,
               state = 'Empty' AND actor = 'admin' AND moves = 1 AND commits_in_state <= 2 AND is_state_whole AS is_reset,
               coalesce(is_in_segment OR expires_at <= if(claim_kind = 'below_log_start', newest_at, effective_at), FALSE) AS is_cause_known,
               coalesce(known_at <= members_at AND is_alone_since, FALSE)
                   OR coalesce((is_cause_known OR known_at <= effective_at) AND minus(log_start_offset, previous_offset) > longest, FALSE)
                   AS is_gone,
               coalesce(end_met > possible_from AND minus(committed_offset, end_met) BETWEEN 0 AND longest
                        AND minus(committed_offset, last_start) > 10 * longest::HUGEINT AND end_stood IS NOT NULL, FALSE)
                   AND NOT is_restarted_low AND NOT is_life_unknown AS is_at_end
        FROM measured
    )
    WHERE NOT is_another_topic AND (is_earlier_log OR NOT is_later_log) AND CASE claim_kind WHEN 'overtaken_by_log_start' THEN coalesce(known_at <= effective_at, FALSE) OR (
                       (is_near_start OR is_near_end OR is_far) AND is_read_by_none
                       AND (is_alone_since OR coalesce(minus(log_start_offset, previous_offset) > longest, FALSE))
                   )
                   WHEN 'skipped_ahead' THEN is_epoch_after AND (is_epoch_before OR is_alone_since)
                   ELSE TRUE END
    QUALIFY row_number() OVER (
        PARTITION BY cluster, log_partition, log_offset, if(claim_kind = 'skipped_ahead', 'overtaken_by_log_start', claim_kind)
        ORDER BY claim_kind, is_gone DESC, log_start_offset DESC
    ) = 1
),
-- A member that died may have read on from its last commit, though no further than the log reached when the group was found
-- empty. What the group committed before, and what it came back to, was or will be read after all.
proven AS (
    SELECT *, greatest(possible_from, read_before_to, members_read_to) AS proven_from,
           least(if(claim_kind = 'overtaken_by_log_start', log_start_offset, possible_to), read_after_from) AS proven_to,
           least(greatest(possible_from, least(estimate_to, read_after_from)), possible_to) AS probably_to,
           coalesce(is_alone_since AND is_state_whole AND members_read_to >= 0 AND NOT is_read_anew AND proven_from < proven_to
               AND CASE claim_kind WHEN 'set_forward'
                            THEN commits_in_state = 1 AND state = 'Empty' AND is_transactional IS NOT NULL AND actor = 'admin'
                            WHEN 'overtaken_by_log_start' THEN known_at <= members_at ELSE FALSE END, FALSE) AS is_certain
    FROM claims
    WHERE possible_from < possible_to
),
bounded AS MATERIALIZED (
    SELECT * EXCLUDE (cause, estimate_to), if(is_certain, proven_from, NULL) AS certain_from, if(is_certain, proven_to, NULL) AS certain_to,
           CASE WHEN cause <> 'log_start' THEN cause WHEN is_in_segment THEN 'records_deleted' WHEN is_cause_known THEN 'retention'
                ELSE coalesce(else_cause, 'unknown') END AS cause,
           if(claim_kind = 'below_log_start', committed_offset, coalesce(previous_offset, removed_offset)) AS stood_offset,
           if(claim_kind = 'below_log_start', greatest(reached_at, written_at), effective_at) AS went_at,
           if(estimate_to IS NULL, NULL, least(probably_to, greatest(possible_from, read_before_to))) AS estimate_from,
           if(estimate_to IS NULL, NULL, probably_to) AS estimate_to,
           if(claim_kind = 'below_log_start', 9223372036854775807, effective_log_offset) AS went_log_offset
    FROM proven AS p
),
ranges AS (
    SELECT cluster, topic, partition, possible_from AS from_offset, possible_to AS to_offset FROM bounded WHERE NOT is_earlier_log
    UNION
    SELECT cluster, topic, partition, certain_from, certain_to FROM bounded WHERE is_certain
),
counted AS (FROM records_in('ranges')),
claimed AS (SELECT DISTINCT cluster, log_partition, log_offset FROM bounded),
made AS (FROM core.commits JOIN _cardinality_hint('claimed') USING (cluster, log_partition, log_offset)),
makers AS (FROM committers_of('made'))
SELECT b.cluster, b.group_id, b.topic, b.partition, b.claim_kind AS kind,
       b.stood_offset AS from_offset, if(b.claim_kind = 'below_log_start', NULL, b.committed_offset) AS to_offset,
       b.possible_from, b.possible_to, b.certain_from, b.certain_to,
       b.estimate_from, b.estimate_to,
       o.records AS records_possible, c.records AS records_certain, o.bytes, o.first_record_at, o.last_record_at,
       b.stood_at AS from_time, b.went_at AS occurred_at, b.went_at AS detected_at, if(b.claim_kind = 'below_log_start', NULL, b.went_at) AS to_time,
       b.cause, m.actor, m.member_id, m.client_id, m.client_host,
       before.generation AS generation_before, after.generation AS generation_after,
       certainty_of(b.certain_from, b.certain_to, b.estimate_from, b.estimate_to) AS certainty,
       b.log_partition, b.log_offset,
       list_sort(list_distinct(list_filter(
           [coalesce(b.removal_log_offset, b.stood_log_offset), b.state_log_offset, b.log_offset], lambda position: position IS NOT NULL
       ))) AS evidence
FROM bounded AS b
LEFT JOIN counted AS o
    ON o.cluster = b.cluster AND o.topic = b.topic AND o.partition = b.partition AND o.from_offset = b.possible_from
        AND o.to_offset = b.possible_to AND NOT b.is_earlier_log
LEFT JOIN counted AS c
    ON c.cluster = b.cluster AND c.topic = b.topic AND c.partition = b.partition AND c.from_offset = b.certain_from
        AND c.to_offset = b.certain_to
LEFT JOIN makers AS m ON m.cluster = b.cluster AND m.log_partition = b.log_partition AND m.log_offset = b.log_offset
ASOF LEFT JOIN states AS before
    ON before.cluster = b.cluster AND before.log_partition = b.log_partition AND before.group_id = b.group_id
    AND before.state_log_offset < b.stood_log_offset
ASOF LEFT JOIN states AS after
    ON after.cluster = b.cluster AND after.log_partition = b.log_partition AND after.group_id = b.group_id
    AND after.state_log_offset < b.went_log_offset
ORDER BY ALL
