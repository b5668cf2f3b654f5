-- Each topic of checkpoints: the target cluster that it lies in, the alias of the source, and whether MirrorMaker puts
-- that alias in front of topics.
SELECT
    cluster AS target_cluster, checkpoints_topic, any_value(source_alias) AS source_alias,
    coalesce(bool_or(starts_with(topic, source_alias || '.')), FALSE) AS has_prefix, count(*) AS checkpoints,
    min(checkpoint_at) AS first_checkpoint_at, max(checkpoint_at) AS last_checkpoint_at
FROM core.mirror_checkpoints
GROUP BY cluster, checkpoints_topic
