-- Every finding in one shape, and the incident that it belongs to: what is proven or likely. What is only possible is
-- in mart.not_excluded. Each kind has an intermediate model; a new kind is one more of these, and its rows of
-- `finding_patterns`, `finding_reasons` and `incident_severities`. Findings of one group, kind and pattern, less than
-- `apart` from each other in the log, are one incident, and so are all of one kind, pattern and topic that concern no
-- group. The records of a share group lie in several partitions of __share_group_state, so their times order them.
WITH all_findings AS (
    FROM findings_of_offsets
    UNION ALL BY NAME
    FROM findings_of_groups
    UNION ALL BY NAME
    FROM findings_of_offsets_topic
),
finding_amounts AS (
    SELECT
        f.*, CASE
            WHEN f.certain_from = f.estimate_from AND f.certain_to = f.estimate_to THEN f.records_certain
            WHEN f.possible_from = f.estimate_from AND f.possible_to = f.estimate_to THEN f.records_possible
            WHEN f.estimate_to IS NULL THEN f.records_certain
        END AS estimate_records,
        greatest(f.estimate_to::DOUBLE - f.estimate_from, f.certain_to::DOUBLE - f.certain_from)
        / t.per_second AS traffic_seconds,
        coalesce(s.pattern, f.claim_kind) AS pattern,
        coalesce(s.apart, INTERVAL 5 MINUTE) AS apart,
        coalesce(r.reason, f.claim_kind) AS reason,
        if(f.group_id IS NULL, f.topic, f.log_partition::VARCHAR) AS place,
        if(f.group_id IS NOT NULL AND f.log_partition IS NULL, epoch_us(f.occurred_at), f.log_offset) AS position,
        if(
            f.group_id IS NOT NULL AND f.log_partition IS NULL,
            concat(f.evidence_elsewhere[1].partition, '-', f.log_offset),
            f.log_offset::VARCHAR
        ) AS record_name
    FROM all_findings AS f
    LEFT JOIN finding_patterns AS s ON s.kind = f.kind AND s.claim_kind = f.claim_kind
    LEFT JOIN finding_reasons AS r ON r.kind = f.kind AND r.claim_kind = f.claim_kind
    LEFT JOIN claim_traffic AS t
        ON
            t.cluster = f.cluster AND t.group_id = f.group_id AND t.topic = f.topic AND t.partition = f.partition
            AND f.kind IN ('skip', 'replay')
),
gaps AS (
    SELECT
        *,
        coalesce(
            group_id IS NOT NULL
            AND occurred_at - lag(occurred_at) OVER log > apart
            AND position > lag(position) OVER log,
            FALSE
        ) AS begins
    FROM finding_amounts
    WINDOW log AS (
        PARTITION BY cluster, place, group_id, kind, pattern
        ORDER BY position, log_offset, topic, partition, record_name
    )
),
finding_runs AS (
    SELECT
        *,
        count_if(begins) OVER (
            PARTITION BY cluster, place, group_id, kind, pattern
            ORDER BY position, log_offset, topic, partition, record_name
        ) AS nth
    FROM gaps
)
SELECT
    cluster,
    left(md5(to_json([
        cluster, group_id, kind, pattern, place,
        if(
            group_id IS NULL,
            NULL,
            first_value(record_name) OVER (
                PARTITION BY cluster, place, group_id, kind, pattern, nth
                ORDER BY position, log_offset, topic, partition, record_name
            )
        )
    ])::VARCHAR), 12) AS incident_id,
    group_id,
    kind,
    pattern,
    claim_kind,
    topic,
    partition,
    claim,
    reason,
    possible_from,
    possible_to,
    certain_from,
    certain_to,
    estimate_from,
    estimate_to,
    records_possible,
    records_certain,
    estimate_records,
    traffic_seconds,
    bytes,
    from_time,
    occurred_at,
    cause, actor, member_id, client_id, client_host, certainty, log_partition, log_offset, evidence,
    coalesce(evidence_elsewhere, []) AS evidence_elsewhere
FROM finding_runs
ORDER BY ALL
