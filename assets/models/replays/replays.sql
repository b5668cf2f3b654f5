-- Offsets that a group read again, as far as set-backs, removals and changes of owners tell, and how many records they
-- are.
WITH claims AS MATERIALIZED (
    SELECT *, coalesce(to_offset, greatest(estimate_to, _as_bigint(possible_from::HUGEINT + 1))) AS goal
    FROM replay_logs
    JOIN (
        FROM replay_handovers
        UNION ALL BY NAME
        SELECT *, FALSE AS is_ordinary FROM replay_reset_claims
    ) USING (cluster, topic, partition)
),
earlier_goals AS (
    SELECT
        cluster, log_partition, group_id, topic, partition, kind, log_offset, to_time,
        coalesce(to_offset, greatest(estimate_to, _as_bigint(possible_from::HUGEINT + 1))) AS goal
    FROM earlier_rows
),
ranges AS (
    SELECT log, possible_from AS from_offset, possible_to AS to_offset FROM claims
    WHERE possible_from < possible_to AND NOT is_another_log
    UNION
    SELECT log, certain_from, certain_to FROM claims WHERE certain_from < certain_to AND NOT is_another_log
),
record_counts AS MATERIALIZED (FROM _record_counts('ranges', 'replay_logs'))
SELECT
    s.cluster,
    s.group_id,
    s.topic,
    s.partition,
    s.claim_kind AS kind,
    s.from_offset,
    s.to_offset,
    possible_from,
    possible_to,
    certain_from,
    certain_to,
    estimate_from, estimate_to, p.records AS records_possible, c.records AS records_certain, p.bytes,
    p.first_record_at, p.last_record_at,
    from_time,
    occurred_at,
    occurred_at AS detected_at,
    cause,
    actor,
    member_id,
    client_id,
    client_host,
    generation_before,
    generation_after,
    _certainty_of(certain_from, certain_to, estimate_from, estimate_to) AS certainty, s.log_partition, s.log_offset,
    list_sort(list_distinct(evidence)) AS evidence, step, is_ordinary,
    k.key, effective_log_offset AS begins, s.goal, e.goal IS NOT NULL AS has_earlier_goal, e.to_time AS earlier_time
FROM claims AS s
JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
LEFT JOIN record_counts AS p
    ON p.log = s.log AND p.from_offset = s.possible_from AND p.to_offset = s.possible_to AND NOT s.is_another_log
LEFT JOIN record_counts AS c
    ON c.log = s.log AND c.from_offset = s.certain_from AND c.to_offset = s.certain_to AND NOT s.is_another_log
LEFT JOIN earlier_goals AS e
    ON
        e.cluster = s.cluster AND e.log_partition = s.log_partition AND e.group_id = s.group_id AND e.topic = s.topic
        AND e.partition = s.partition AND e.kind = s.claim_kind AND e.log_offset = s.log_offset AND e.goal = s.goal
WHERE s.claim_kind IN ('set_back', 'truncated') OR (p.records = 0) IS NOT TRUE
-- Of two members that a record gives one partition each may have read what the other did: what is possible counts once.
QUALIFY
    row_number() OVER (
        PARTITION BY k.key, s.log_offset, s.claim_kind
        ORDER BY possible_from, possible_to DESC NULLS FIRST, certain_to DESC NULLS LAST, member_id
    ) = 1
ORDER BY
    k.rank,
    claim_kind,
    s.from_offset,
    s.to_offset,
    possible_from,
    possible_to,
    certain_from,
    certain_to,
    estimate_from,
    estimate_to,
    from_time, occurred_at, s.log_partition, s.log_offset
