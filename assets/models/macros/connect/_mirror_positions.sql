-- Between which offsets of the target the copy of an offset of the source lies: the first record there that a group
-- has not read which read up to it. `offsets_of` names a table with number, syncs_cluster, syncs_topic, source_topic,
-- partition, upstream_offset and at_ts. It is behind the sync before it and not behind the next one; and as each
-- record is copied once at most, it is no farther from either than at the source. Between two syncs of which the
-- offsets of both sides go up by the same number this is exact. All of this holds for who begins to read at
-- target_from or behind it: before it stand the copies of an earlier run, and some of these records come twice. Only
-- from clean_from to clean_to there is one copy of each record: offsets beyond are not counted as surely read again,
-- or surely missed. `syncs` are the records of both syncs.
WITH syncs AS MATERIALIZED (FROM _mirror_syncs()),
runs AS (
    SELECT
        cluster, syncs_topic, topic, partition, run, run_began_at, if(run = 0, 0, min(downstream_offset)) AS target_from
    FROM syncs
    GROUP BY cluster, syncs_topic, topic, partition, run, run_began_at
),
offsets_in_runs AS (
    SELECT a.number, a.upstream_offset, r.cluster, r.syncs_topic, r.topic, r.partition, r.run, r.target_from
    FROM query_table(offsets_of) AS a
    ASOF JOIN runs AS r
        ON
            a.syncs_cluster = r.cluster AND a.syncs_topic = r.syncs_topic AND a.source_topic = r.topic
            AND a.partition = r.partition AND a.at_ts >= r.run_began_at
),
neighbours AS (
    SELECT
        a.number,
        a.upstream_offset,
        a.target_from,
        low.upstream_offset AS low_upstream,
        low.downstream_offset AS low_downstream,
        high.upstream_offset AS high_upstream, high.downstream_offset AS high_downstream, low.clean_from, high.clean_to,
        list_concat(
            _records_at(a.cluster, a.syncs_topic, low.log_partition, [low.log_offset]),
            _records_at(a.cluster, a.syncs_topic, high.log_partition, [high.log_offset])
        ) AS syncs,
        CASE
            WHEN high.downstream_offset IS NULL THEN NOT low.has_more
            ELSE
                _minus(high.downstream_offset, low.downstream_offset)
                <= _minus(high.upstream_offset, low.upstream_offset)
        END AS is_copied_once
    FROM offsets_in_runs AS a
    ASOF LEFT JOIN syncs AS low
        ON
            a.cluster = low.cluster AND a.syncs_topic = low.syncs_topic AND a.topic = low.topic
            AND a.partition = low.partition AND a.run = low.run AND a.upstream_offset >= low.upstream_offset
    ASOF LEFT JOIN syncs AS high
        ON
            a.cluster = high.cluster AND a.syncs_topic = high.syncs_topic AND a.topic = high.topic
            AND a.partition = high.partition AND a.run = high.run AND a.upstream_offset <= high.upstream_offset
)
SELECT
    number, target_from, clean_from, clean_to, syncs,
    CASE
        WHEN upstream_offset = low_upstream THEN low_downstream
        ELSE greatest(
            _as_bigint(low_downstream::HUGEINT + 1),
            if(is_copied_once, _minus(high_downstream, _minus(high_upstream, upstream_offset)), NULL), 0
        )
    END AS position_lower,
    CASE
        WHEN upstream_offset = low_upstream THEN low_downstream
        ELSE least(
            high_downstream,
            if(is_copied_once, _as_bigint(low_downstream::HUGEINT + upstream_offset - low_upstream), NULL)
        )
    END AS position_upper
FROM neighbours
