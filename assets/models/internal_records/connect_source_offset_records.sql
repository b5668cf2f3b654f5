-- The records of source offsets that count, of Connect's workers and of MirrorMaker's own, in the order of each log.
SELECT cluster, topic, partition, record_offset, timestamp_ms, key, value, is_tombstone
FROM committed_internal_records
WHERE kind IN ('connect_offsets', 'mirror_source_offsets')
ORDER BY cluster, topic, partition, record_offset
