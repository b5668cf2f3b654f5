-- Every change of a range's delivery state or count, with the name of its topic.
WITH changes AS (SELECT *, unnest(changes) AS change FROM core.share_states)
SELECT
    c.cluster, c.group_id, n.topic, c.topic_id, c.partition,
    c.change.from_offset, c.change.to_offset, c.change.delivery_state, c.change.delivery_count,
    c.change.previous_state, c.change.previous_count,
    c.state_epoch, c.written_at, c.state_partition, c.record_offset, c.is_gap_free
FROM changes AS c LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
ORDER BY c.cluster, c.state_partition, c.record_offset, c.change.from_offset
