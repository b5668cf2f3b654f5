-- What a group (NULL: any group) meets that goes on at the target of MirrorMaker at an instant: a row for each
-- partition and each way to go on, from the offset that is committed there or from the newest checkpoint.
WITH flows AS (SELECT * FROM mart.mirror_flows WHERE source_cluster IS NOT NULL AND first_checkpoint_at <= ts),
names AS (
    SELECT DISTINCT
        f.*, s.topic AS source_topic, if(f.has_prefix, f.source_alias || '.' || s.topic, s.topic) AS topic
    FROM flows AS f
    JOIN core.mirror_offset_syncs AS s ON s.cluster = f.syncs_cluster AND s.syncs_topic = f.syncs_topic
    WHERE s.synced_at <= ts
),
offsets AS MATERIALIZED (FROM state_at(ts, grp := grp)),
newest_checkpoints AS (
    SELECT
        cluster, checkpoints_topic, group_id, topic, partition,
        arg_max(downstream_offset, (log_partition, log_offset)) AS downstream_offset,
        arg_max(checkpoint_at, (log_partition, log_offset)) AS checkpoint_at
    FROM core.mirror_checkpoints
    WHERE checkpoint_at <= ts AND (grp IS NULL OR group_id = grp)
    GROUP BY ALL
),
keys AS (
    SELECT
        row_number() OVER () AS number, n.source_cluster, n.target_cluster, n.checkpoints_topic, n.syncs_cluster,
        n.syncs_topic,
        o.group_id,
        n.source_topic,
        n.topic,
        o.partition,
        o.current_offset AS upstream_offset,
        o.is_known,
        o.effective_at AS committed_at, ts AS at_ts
    FROM names AS n
    JOIN offsets AS o ON o.cluster = n.source_cluster AND o.topic = n.source_topic
),
positions AS (FROM _mirror_positions('keys')),
starts AS (
    SELECT
        k.number, 'committed' AS method, t.current_offset AS target_offset, t.effective_at AS target_offset_at,
        coalesce(c.actor IN ('owner', 'former_owner', 'transaction'), FALSE) AS is_read_there
    FROM keys AS k
    LEFT JOIN offsets AS t
        ON t.cluster = k.target_cluster AND t.group_id = k.group_id AND t.topic = k.topic AND t.partition = k.partition
    LEFT JOIN core.commits AS c
        ON c.cluster = t.cluster AND c.log_partition = t.log_partition AND c.log_offset = t.log_offset
    UNION ALL
    SELECT k.number, 'checkpoint', c.downstream_offset, c.checkpoint_at, FALSE
    FROM keys AS k
    LEFT JOIN newest_checkpoints AS c
        ON
            c.cluster = k.target_cluster AND c.checkpoints_topic = k.checkpoints_topic AND c.group_id = k.group_id
            AND c.topic = k.topic AND c.partition = k.partition
),
bounds AS (
    SELECT
        k.*, s.method, s.target_offset, s.target_offset_at, greatest(s.target_offset, p.clean_from) AS again_from,
        least(s.target_offset, p.clean_to) AS missed_to,
        CASE
            WHEN s.is_read_there THEN 'read_there'
            WHEN s.target_offset IS NULL THEN 'no_offset'
            WHEN s.target_offset > l.log_end_offset THEN 'out_of_range'
        END AS hindrance,
        if(hindrance IS NULL AND s.target_offset >= p.target_from, p.position_lower, NULL) AS position_lower,
        if(hindrance IS NULL AND s.target_offset >= p.target_from, least(p.position_upper, l.log_end_offset), NULL)
            AS position_upper
    FROM keys AS k
    JOIN starts AS s USING (number)
    LEFT JOIN positions AS p ON p.number = k.number AND k.is_known
    LEFT JOIN log_ends_at(ts) AS l
        ON l.cluster = k.target_cluster AND l.topic = k.topic AND l.partition = k.partition
)
SELECT
    target_cluster AS cluster, source_cluster, group_id, source_topic, topic, partition, method,
    upstream_offset AS committed_offset, committed_at, target_offset, target_offset_at, position_lower, position_upper,
    coalesce(hindrance, _failover_status(target_offset, position_lower, position_upper)) AS status,
    _offsets_left(again_from, position_lower) AS read_again_lower,
    _offsets_left(target_offset, position_upper) AS read_again_upper,
    _offsets_left(position_upper, missed_to) AS missed_lower,
    _offsets_left(position_lower, target_offset) AS missed_upper
FROM bounds
