-- Each flow of MirrorMaker 2 that has checkpoints: which cluster its source is, and where its offset syncs are. What a
-- user says counts. Else a cluster is the source that alone has the syncs by which checkpoints were translated, or,
-- where these lie at the target, that alone has commits at the offsets that checkpoints name.
WITH aliases AS (SELECT alias, arg_max(cluster, declared_at) AS cluster FROM raw.cluster_aliases GROUP BY alias),
-- A checkpoint is translated to a sync at its very offset, or to the offset after an earlier one.
sync_matches AS (
    SELECT t.target_cluster, t.checkpoints_topic, s.cluster AS syncs_cluster, s.syncs_topic
    FROM mirror_translations AS t
    JOIN core.mirror_offset_syncs AS s
        ON
            s.topic = t.source_topic AND s.partition = t.partition AND s.downstream_offset = t.downstream_offset
            AND s.upstream_offset = t.upstream_offset
    WHERE s.cluster <> t.target_cluster OR s.other_alias IS NOT DISTINCT FROM t.source_alias
    UNION
    SELECT t.target_cluster, t.checkpoints_topic, s.cluster, s.syncs_topic
    FROM mirror_translations AS t
    JOIN core.mirror_offset_syncs AS s
        ON
            s.topic = t.source_topic AND s.partition = t.partition
            AND s.downstream_offset = _minus(t.downstream_offset, 1) AND s.upstream_offset < t.upstream_offset
    WHERE s.cluster <> t.target_cluster OR s.other_alias IS NOT DISTINCT FROM t.source_alias
),
commit_matches AS (
    SELECT DISTINCT t.target_cluster, t.checkpoints_topic, c.cluster
    FROM core.commits AS c
    JOIN mirror_translations AS t
        ON
            t.group_id = c.group_id AND t.source_topic = c.topic AND t.partition = c.partition
            AND t.upstream_offset = c.committed_offset AND t.target_cluster <> c.cluster
),
sync_sources AS (
    SELECT e.*
    FROM sync_matches AS e
    JOIN mirror_checkpoint_topics AS t USING (target_cluster, checkpoints_topic)
    LEFT JOIN aliases AS d ON d.alias = t.source_alias
    WHERE d.cluster IS NULL OR e.syncs_cluster IN (d.cluster, e.target_cluster)
    QUALIFY count(*) OVER (PARTITION BY target_cluster, checkpoints_topic) = 1
),
commit_sources AS (
    FROM commit_matches QUALIFY count(*) OVER (PARTITION BY target_cluster, checkpoints_topic) = 1
),
sources AS (
    SELECT
        t.*, d.cluster AS declared_cluster, s.syncs_cluster, s.syncs_topic,
        if(s.syncs_cluster <> t.target_cluster, s.syncs_cluster, NULL) AS cluster_of_syncs,
        c.cluster AS cluster_of_commits
    FROM mirror_checkpoint_topics AS t
    LEFT JOIN aliases AS d ON d.alias = t.source_alias
    LEFT JOIN sync_sources AS s USING (target_cluster, checkpoints_topic)
    LEFT JOIN commit_sources AS c USING (target_cluster, checkpoints_topic)
),
-- Where syncs and commits name different clusters, neither is believed.
choices AS (
    SELECT
        *, coalesce(declared_cluster, if(
            cluster_of_syncs <> cluster_of_commits, NULL, coalesce(cluster_of_syncs, cluster_of_commits)
        )) AS source_cluster
    FROM sources
)
SELECT
    target_cluster, checkpoints_topic, source_alias, source_cluster,
    CASE
        WHEN declared_cluster IS NOT NULL THEN 'declared'
        WHEN source_cluster IS NULL THEN NULL
        WHEN cluster_of_syncs IS NOT NULL THEN 'syncs'
        ELSE 'commits'
    END AS source_basis,
    has_prefix, if(source_cluster IS NULL, NULL, syncs_cluster) AS syncs_cluster,
    if(source_cluster IS NULL, NULL, syncs_topic) AS syncs_topic, checkpoints,
    first_checkpoint_at, last_checkpoint_at
FROM choices
ORDER BY target_cluster, checkpoints_topic
