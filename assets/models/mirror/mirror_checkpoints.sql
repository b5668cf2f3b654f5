-- Every checkpoint beside what the group had read: the offset that MirrorMaker found committed, where its copy lies at
-- the target by the offset syncs, and whether the group was set back at the source while the checkpoint was in force.
WITH checkpoints AS (
    SELECT
        row_number() OVER () AS number, c.*, f.source_cluster, f.source_basis, f.syncs_cluster, f.syncs_topic,
        CASE
            WHEN starts_with(c.topic, f.source_alias || '.') THEN substr(c.topic, length(f.source_alias) + 2)
            WHEN NOT f.has_prefix THEN c.topic
        END AS source_topic,
        lead(c.checkpoint_at) OVER (
            PARTITION BY c.cluster, c.checkpoints_topic, c.group_id, c.topic, c.partition
            ORDER BY c.log_partition, c.log_offset
        ) AS ended_at
    FROM core.mirror_checkpoints AS c
    JOIN mart.mirror_flows AS f ON f.target_cluster = c.cluster AND f.checkpoints_topic = c.checkpoints_topic
),
source_commits AS (
    SELECT c.cluster, c.group_id, c.topic, c.partition, c.committed_offset, c.kind, c.effective_at
    FROM core.commits AS c
    SEMI JOIN checkpoints AS k
        ON
            k.source_cluster = c.cluster AND k.group_id = c.group_id AND k.source_topic = c.topic
            AND k.partition = c.partition
),
set_backs AS (
    SELECT k.number, min(c.effective_at) AS set_back_at, arg_min(c.committed_offset, c.effective_at) AS set_back_to
    FROM checkpoints AS k
    JOIN source_commits AS c
        ON
            k.source_cluster = c.cluster AND k.group_id = c.group_id AND k.source_topic = c.topic
            AND k.partition = c.partition AND c.effective_at > k.checkpoint_at
            AND (k.ended_at IS NULL OR c.effective_at < k.ended_at)
    WHERE c.kind = 'rewind' AND c.committed_offset < k.upstream_offset
    GROUP BY k.number
),
places AS (
    SELECT
        2 * number AS number, syncs_cluster, syncs_topic, source_topic, partition, upstream_offset,
        checkpoint_at AS at_ts
    FROM checkpoints
    UNION ALL
    SELECT
        2 * number + 1, k.syncs_cluster, k.syncs_topic, k.source_topic, k.partition, s.set_back_to, k.checkpoint_at
    FROM checkpoints AS k JOIN set_backs AS s USING (number)
),
positions AS MATERIALIZED (FROM _mirror_positions('places')),
bounds AS (
    SELECT
        k.*, k.downstream_offset >= p.target_from AS has_bounds, s.set_back_at, s.set_back_to,
        if(has_bounds, p.position_lower, NULL) AS position_lower,
        if(has_bounds, p.position_upper, NULL) AS position_upper,
        greatest(k.downstream_offset, p.clean_from) AS again_from, least(k.downstream_offset, p.clean_to) AS missed_to,
        least(k.downstream_offset, b.clean_to) AS set_back_missed_to,
        if(has_bounds, b.position_lower, NULL) AS set_back_lower,
        if(has_bounds, b.position_upper, NULL) AS set_back_upper
    FROM checkpoints AS k
    LEFT JOIN positions AS p ON p.number = 2 * k.number
    LEFT JOIN set_backs AS s ON s.number = k.number
    LEFT JOIN positions AS b ON b.number = 2 * k.number + 1
)
SELECT
    k.source_cluster, k.cluster AS target_cluster, k.checkpoints_topic, k.log_partition, k.log_offset, k.source_basis,
    k.group_id, k.source_topic, k.topic, k.partition, k.checkpoint_at, k.ended_at, k.upstream_offset,
    k.downstream_offset, c.committed_offset, k.position_lower, k.position_upper,
    if(k.downstream_offset IS NULL, NULL, _failover_status(k.downstream_offset, k.position_lower, k.position_upper))
        AS status,
    _offsets_left(k.again_from, k.position_lower) AS read_again_lower,
    _offsets_left(k.downstream_offset, k.position_upper) AS read_again_upper,
    _offsets_left(k.position_upper, k.missed_to) AS missed_lower,
    _offsets_left(k.position_lower, k.downstream_offset) AS missed_upper, k.set_back_at, k.set_back_to,
    if(k.set_back_at IS NULL, NULL, _failover_status(k.downstream_offset, k.set_back_lower, k.set_back_upper))
        AS set_back_status,
    _offsets_left(k.set_back_upper, k.set_back_missed_to) AS set_back_missed_lower,
    _offsets_left(k.set_back_lower, k.downstream_offset) AS set_back_missed_upper
FROM bounds AS k
ASOF LEFT JOIN source_commits AS c
    ON
        k.source_cluster = c.cluster AND k.group_id = c.group_id AND k.source_topic = c.topic
        AND k.partition = c.partition AND k.checkpoint_at >= c.effective_at
ORDER BY target_cluster, k.checkpoints_topic, k.log_partition, k.log_offset
