-- Records of internal topics that count: a transactional one when the next marker of its producer commits it.
SELECT r.cluster, r.kind, r.topic, r.partition, r.record_offset, r.timestamp_ms, r.key, r.value, r.is_tombstone
FROM raw.internal_records AS r
ASOF LEFT JOIN (
    SELECT cluster, topic, partition, producer_id, record_offset, control_type
    FROM raw.internal_records WHERE is_control AND control_type IN ('COMMIT', 'ABORT')
) AS m
    ON
        r.cluster = m.cluster AND r.topic = m.topic AND r.partition = m.partition AND r.producer_id = m.producer_id
        AND r.record_offset < m.record_offset
WHERE NOT r.is_control AND (NOT r.is_transactional OR m.control_type = 'COMMIT')
