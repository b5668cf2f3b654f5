-- What the records of each type come to, by partition of the offsets topic and by group.
WITH needed_records AS (
    SELECT cluster, log_partition, log_offset, TRUE AS is_needed
    FROM core.record_compaction
    WHERE status <> 'superseded' AND status <> 'aborted'
),
sized_records AS (
    SELECT
        r.cluster, r.log_partition, r.group_id, r.topic, r.partition, r.member_id, r.timestamp_ms, n.is_needed,
        CASE
            WHEN r.is_control THEN 'transaction_marker'
            WHEN r.record_type <= 1 AND r.is_tombstone THEN 'offset_removal'
            WHEN r.record_type <= 1 THEN 'offset_commit'
            WHEN r.record_type IN (2, 3, 11, 17) THEN 'group'
            WHEN r.record_type IN (5, 10, 19) THEN 'member'
            WHEN r.record_type IN (6, 7, 12, 13, 20, 21, 24) THEN 'target_assignment'
            WHEN r.record_type IN (8, 14, 22) THEN 'current_assignment'
            WHEN r.record_type IN (4, 9, 15, 16, 18, 23) THEN 'topics'
            ELSE 'unreadable'
        END AS kind,
        coalesce(r.key_bytes, 0) + coalesce(r.value_bytes, 0) AS bytes
    FROM raw.offset_records AS r
    LEFT JOIN needed_records AS n USING (cluster, log_partition, log_offset)
)
SELECT
    cluster, log_partition, group_id, topic, partition, member_id, kind, count(*) AS records, sum(bytes) AS bytes,
    if(kind IN ('transaction_marker', 'unreadable'), NULL, count(*) - count(is_needed)) AS superseded_records,
    if(kind IN ('transaction_marker', 'unreadable'), NULL, sum(bytes) - sum(if(is_needed, bytes, 0)))
        AS superseded_bytes,
    min(_instant_of(timestamp_ms)) AS first_at, max(_instant_of(timestamp_ms)) AS last_at
FROM sized_records
GROUP BY cluster, log_partition, group_id, topic, partition, member_id, kind
