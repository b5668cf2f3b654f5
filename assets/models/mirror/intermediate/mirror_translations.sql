-- What checkpoints say of offsets, each once, with the name of the topic at the source: without the alias in front.
-- Where MirrorMaker puts one, a topic without it came from the target itself: its name at the source is not known.
SELECT DISTINCT
    c.cluster AS target_cluster, c.checkpoints_topic, t.source_alias, c.group_id,
    CASE
        WHEN starts_with(c.topic, t.source_alias || '.') THEN substr(c.topic, length(t.source_alias) + 2)
        WHEN NOT t.has_prefix THEN c.topic
    END AS source_topic,
    c.partition, c.upstream_offset, c.downstream_offset
FROM core.mirror_checkpoints AS c
JOIN mirror_checkpoint_topics AS t ON t.target_cluster = c.cluster AND t.checkpoints_topic = c.checkpoints_topic
WHERE c.upstream_offset > 0
