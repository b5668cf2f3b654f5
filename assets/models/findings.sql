-- Every finding in one shape, and the incident that it belongs to: what is proven or likely. What is only possible is in
-- mart.not_excluded. Each kind has a model in the folder of this name; a new kind is one more of these and its rows of `patterns`
-- here and of `severities` of the incidents. Findings of one group, kind and story, less than `apart` from each other in the
-- log, are one incident, and so are all of one kind, story and topic that concern no group.
WITH found AS (
    FROM skip UNION ALL BY NAME FROM replay UNION ALL BY NAME FROM storm UNION ALL BY NAME FROM diverged UNION ALL BY NAME
    FROM silent UNION ALL BY NAME FROM halt UNION ALL BY NAME FROM expiring UNION ALL BY NAME FROM transaction UNION ALL BY NAME
    FROM cleaner UNION ALL BY NAME FROM produced
),
measured AS (
    SELECT f.*, CASE WHEN f.certain_from = f.estimate_from AND f.certain_to = f.estimate_to THEN f.records_certain
                     WHEN f.possible_from = f.estimate_from AND f.possible_to = f.estimate_to THEN f.records_possible
                     WHEN f.estimate_to IS NULL THEN f.records_certain END AS estimate_records,
           greatest(f.estimate_to::DOUBLE - f.estimate_from, f.certain_to::DOUBLE - f.certain_from) / t.per_second AS traffic_seconds,
           coalesce(s.pattern, f.claim_kind) AS pattern, coalesce(s.apart, INTERVAL 5 MINUTE) AS apart, coalesce(s.reason, f.claim_kind) AS reason,
           if(f.group_id IS NULL, f.topic, f.log_partition::VARCHAR) AS place
    FROM found AS f
    LEFT JOIN patterns AS s ON s.kind = f.kind AND s.claim_kind = f.claim_kind
    LEFT JOIN traffic AS t
        ON t.cluster = f.cluster AND t.group_id = f.group_id AND t.topic = f.topic AND t.partition = f.partition
        AND f.kind IN ('skip', 'replay')
),
begun AS (
    SELECT *, coalesce(group_id IS NOT NULL AND occurred_at - lag(occurred_at) OVER log > apart AND log_offset > lag(log_offset) OVER log, FALSE) AS begins
    FROM measured
    WINDOW log AS (PARTITION BY cluster, place, group_id, kind, pattern ORDER BY log_offset, topic, partition)
),
folded AS (
    SELECT *, count_if(begins) OVER (PARTITION BY cluster, place, group_id, kind, pattern ORDER BY log_offset, topic, partition) AS nth
    FROM begun
)
SELECT cluster,
       left(md5(to_json([
           cluster, group_id, kind, pattern, place,
           if(group_id IS NULL, NULL, (min(log_offset) OVER (PARTITION BY cluster, place, group_id, kind, pattern, nth))::VARCHAR)
       ])::VARCHAR), 12) AS incident_id,
       group_id, kind, pattern, claim_kind, topic, partition, claim, reason, possible_from, possible_to, certain_from, certain_to,
       estimate_from, estimate_to, records_possible, records_certain, estimate_records, traffic_seconds, bytes, from_time, occurred_at,
       cause, actor, member_id, client_id, client_host, certainty, log_partition, log_offset, evidence
FROM folded
ORDER BY ALL
