-- Offsets that a group read again, as far as set-backs, removals and changes of owners tell, and how many records they are.
WITH claims AS MATERIALIZED (
    SELECT *, coalesce(to_offset, greatest(estimate_to, saturated(possible_from::HUGEINT + 1))) AS goal
    FROM replay_logs
    JOIN (
        FROM replay_handovers
        UNION ALL BY NAME
        SELECT *, FALSE AS is_ordinary FROM replay_reset_claims
    ) USING (cluster, topic, partition)
),
edges AS MATERIALIZED (
    -- Records are counted up to each edge of a range: those before it less those before the other.
    SELECT DISTINCT log, edge
    FROM (SELECT log, unnest([possible_from, possible_to, certain_from, certain_to]) AS edge FROM claims)
    WHERE edge IS NOT NULL
),
ended AS (
    SELECT b.*, m.outcome
    FROM (FROM replay_batches WHERE is_transactional) AS b
    ASOF LEFT JOIN (
        SELECT log, producer_id, base_offset AS ended_at, control_type AS outcome
        FROM replay_batches WHERE is_control AND producer_id IS NOT NULL
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
        FROM (FROM ended UNION ALL BY NAME FROM replay_batches WHERE is_transactional IS NOT TRUE)
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
    ASOF LEFT JOIN (SELECT log, last_offset, base_timestamp_ms FROM replay_batches) AS n ON n.log = e.log AND n.last_offset >= e.edge
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
SELECT s.cluster, s.group_id, s.topic, s.partition, s.claim_kind AS kind, from_offset, to_offset, possible_from, possible_to, certain_from, certain_to,
       estimate_from, estimate_to, if(is_seen AND is_told, s.records, NULL)::BIGINT AS records_possible, records_certain,
       if(is_seen, size, NULL)::BIGINT AS bytes,
       if(is_seen, _instant_of(first_ms), NULL) AS first_record_at,
       if(is_seen, _instant_of(last_ms), NULL) AS last_record_at,
       from_time, occurred_at, occurred_at AS detected_at, cause, actor, member_id, client_id, client_host, generation_before, generation_after,
       certainty_of(certain_from, certain_to, estimate_from, estimate_to) AS certainty, s.log_partition, s.log_offset,
       list_sort(list_distinct(evidence)) AS evidence, step, is_ordinary,
       k.key, effective_log_offset AS begins, goal
FROM sized AS s
JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
WHERE s.claim_kind IN ('set_back', 'truncated') OR (is_seen AND is_told AND s.records = 0) IS NOT TRUE
-- Of two members that a record gives one partition each may have read what the other did: what is possible counts once.
QUALIFY row_number() OVER (
    PARTITION BY k.key, s.log_offset, s.claim_kind ORDER BY possible_from, possible_to DESC NULLS FIRST, certain_to DESC NULLS LAST, member_id
) = 1
ORDER BY k.rank, claim_kind, from_offset, to_offset, possible_from, possible_to, certain_from, certain_to, estimate_from, estimate_to, from_time,
         occurred_at, s.log_partition, s.log_offset
