-- The start offset of every share partition at an instant, and what it had not done yet: the lag of kafka-share-groups,
-- which is the log end less the start offset and less what is done behind it.
WITH states AS (
    SELECT
        cluster, group_id, topic_id, partition, state_partition,
        arg_max(
            {
                'kind': record_kind, 'start_offset': start_offset, 'complete': delivery_complete_count,
                'state_epoch': state_epoch, 'leader_epoch': leader_epoch, 'written_at': written_at,
                'record_offset': record_offset, 'is_known': is_gap_free
            }, record_offset
        ) AS last
    FROM core.share_states
    WHERE written_at <= ts AND (grp IS NULL OR group_id = grp)
    GROUP BY ALL
)
SELECT
    s.cluster, s.group_id, n.topic, s.partition, s.last.start_offset AS start_offset,
    s.last.complete AS delivery_complete_count, e.log_end_offset,
    greatest(_minus(_minus(e.log_end_offset, greatest(s.last.start_offset, 0)), coalesce(s.last.complete, 0)), 0)
    + if(s.last.complete IS NULL OR NOT s.last.is_known, NULL, 0) AS lag,
    s.last.is_known AND s.last.start_offset IS NOT NULL AS is_known, s.last.leader_epoch AS leader_epoch,
    s.last.state_epoch AS state_epoch, s.last.written_at AS written_at, s.topic_id, s.state_partition,
    s.last.record_offset AS record_offset
FROM states AS s
LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
LEFT JOIN log_ends_at(ts) AS e ON e.cluster = s.cluster AND e.topic = n.topic AND e.partition = s.partition
WHERE s.last.kind <> 'tombstone'
