-- What an incident is made of, in the order of the log: the records that it rests on, each with what it says, and
-- behind the last one of each finding the finding itself.
WITH findings AS (FROM mart.findings WHERE incident_id = wanted),
places AS (SELECT DISTINCT cluster, group_id, log_partition, unnest(evidence) AS log_offset FROM findings),
records AS (
    SELECT
        p.cluster,
        p.group_id,
        p.log_partition,
        p.log_offset,
        coalesce(c.effective_at, g.from_at) AS occurred_at,
        c.topic,
        c.partition,
        c.kind,
        c.previous_offset,
        c.committed_offset, g.state, g.generation, g.member_count
    FROM places AS p
    LEFT JOIN core.commits AS c
        ON c.cluster = p.cluster AND c.log_partition = p.log_partition AND c.log_offset = p.log_offset
    LEFT JOIN _group_records() AS g
        ON
            g.cluster = p.cluster
            AND g.log_partition = p.log_partition
            AND g.log_offset = p.log_offset
            AND g.group_id = p.group_id
)
SELECT
    cluster, group_id, 'record' AS part, occurred_at, log_partition, log_offset, topic, partition,
    CASE
        WHEN
            kind = 'removed'
            THEN format('removed what was committed, {}', coalesce(previous_offset::VARCHAR, 'unknown'))
        WHEN previous_offset IS NOT NULL THEN format('committed {} after {}', committed_offset, previous_offset)
        WHEN kind IS NOT NULL THEN format('committed {}', committed_offset)
        WHEN state IS NOT NULL
            THEN format('the group is {}', state) || coalesce(format(', generation {}', generation), '')
        ELSE 'a record that was read and is not kept any more'
    END AS says,
    NULL::BIGINT AS possible_from,
    NULL::BIGINT AS possible_to,
    NULL::BIGINT AS certain_from,
    NULL::BIGINT AS certain_to,
    NULL AS certainty, generation
FROM records
UNION ALL BY NAME
SELECT
    cluster, group_id, 'finding' AS part, occurred_at AS occurred_at, log_partition, log_offset, topic, partition,
    concat(replace(claim, '{}', CASE
        WHEN certain_from IS NOT NULL THEN format('offsets {} to {}', certain_from, certain_to - 1)
        ELSE format('about offsets {} to {}', estimate_from, estimate_to - 1)
    END), '; ', reason) AS says,
    possible_from, possible_to, certain_from, certain_to, certainty
FROM findings
ORDER BY cluster, log_partition, log_offset, part DESC, topic, partition
