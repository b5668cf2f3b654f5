-- Offsets that a group went past without reading them, as far as commits, removals, states and log starts tell. Few
-- commits are candidates. They are found without sorting all of them: by bins of 65,536 offsets, in which states and
-- log starts lie. What is looked for among all commits goes through the macro `_cardinality_hint`, so that they pass by
-- and are not kept in memory.
WITH ranges AS (
    SELECT cluster, topic, partition, possible_from AS from_offset, possible_to AS to_offset
    FROM skip_ranges
    WHERE NOT is_earlier_log
    UNION
    SELECT cluster, topic, partition, certain_from, certain_to FROM skip_ranges WHERE is_certain
),
record_counts AS (FROM records_in('ranges')),
claimed_positions AS (SELECT DISTINCT cluster, log_partition, log_offset FROM skip_ranges),
claimed_commits AS (
    FROM core.commits JOIN _cardinality_hint('claimed_positions') USING (cluster, log_partition, log_offset)
),
committers AS (FROM _committers_of('claimed_commits'))
SELECT
    b.cluster, b.group_id, b.topic, b.partition, b.claim_kind AS kind,
    b.stood_offset AS from_offset, if(b.claim_kind = 'below_log_start', NULL, b.committed_offset) AS to_offset,
    b.possible_from, b.possible_to, b.certain_from, b.certain_to,
    b.estimate_from, b.estimate_to,
    o.records AS records_possible, c.records AS records_certain, o.bytes, o.first_record_at, o.last_record_at,
    b.stood_at AS from_time,
    b.went_at AS occurred_at,
    b.went_at AS detected_at,
    if(b.claim_kind = 'below_log_start', NULL, b.went_at) AS to_time,
    b.cause, m.actor, m.member_id, m.client_id, m.client_host,
    before.generation AS generation_before, after.generation AS generation_after,
    _certainty_of(b.certain_from, b.certain_to, b.estimate_from, b.estimate_to) AS certainty,
    b.log_partition, b.log_offset,
    list_sort(list_distinct(list_filter(
        [coalesce(b.removal_log_offset, b.stood_log_offset), b.state_log_offset, b.log_offset],
        LAMBDA position: position IS NOT NULL
    ))) AS evidence
FROM skip_ranges AS b
LEFT JOIN record_counts AS o
    ON
        o.cluster = b.cluster AND o.topic = b.topic AND o.partition = b.partition AND o.from_offset = b.possible_from
        AND o.to_offset = b.possible_to AND NOT b.is_earlier_log
LEFT JOIN record_counts AS c
    ON
        c.cluster = b.cluster AND c.topic = b.topic AND c.partition = b.partition AND c.from_offset = b.certain_from
        AND c.to_offset = b.certain_to
LEFT JOIN committers AS m ON m.cluster = b.cluster AND m.log_partition = b.log_partition AND m.log_offset = b.log_offset
ASOF LEFT JOIN group_periods AS before
    ON
        before.cluster = b.cluster AND before.log_partition = b.log_partition AND before.group_id = b.group_id
        AND before.state_log_offset < b.stood_log_offset
ASOF LEFT JOIN group_periods AS after
    ON
        after.cluster = b.cluster AND after.log_partition = b.log_partition AND after.group_id = b.group_id
        AND after.state_log_offset < b.went_log_offset
ORDER BY ALL
