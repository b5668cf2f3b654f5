-- The records of the topics of the kind mirror_checkpoints that count, in the order of each log.
SELECT cluster, topic, partition, record_offset, timestamp_ms, key, value, is_tombstone
FROM committed_internal_records
WHERE kind = 'mirror_checkpoints'
ORDER BY cluster, topic, partition, record_offset
