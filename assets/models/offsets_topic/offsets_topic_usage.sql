-- Who fills the offsets topic: records and bytes by group, client and kind of record. Records are first added up by
-- key, of which there are few; those of a committed partition are then shared out by how many commits each client made
-- of it.
WITH members AS (
    SELECT cluster, log_partition, group_id, member_id, arg_max(client_id, log_offset) AS client_id
    FROM core.members GROUP BY ALL
),
key_sizes AS (
    SELECT
        p.cluster, p.log_partition, p.group_id, s.client_id, p.kind, s.no_ops,
        up_to * records // of - up_from * records // of AS records,
        up_to * bytes // of - up_from * bytes // of AS bytes,
        up_to * superseded_records // of - up_from * superseded_records // of AS superseded_records,
        up_to * superseded_bytes // of - up_from * superseded_bytes // of AS superseded_bytes, p.first_at, p.last_at
    FROM record_type_usage AS p
    JOIN topic_shares AS s USING (cluster, log_partition, group_id, topic, partition)
    WHERE p.kind = 'offset_commit'
    UNION ALL BY NAME
    SELECT p.* EXCLUDE (topic, partition, member_id), m.client_id
    FROM record_type_usage AS p
    LEFT JOIN members AS m USING (cluster, log_partition, group_id, member_id)
    WHERE p.kind <> 'offset_commit'
),
on_disk AS (
    SELECT
        cluster, partition AS log_partition,
        sum(end_position - start_position) / nullif(sum(record_count), 0) AS record_bytes
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source IN ('file', 'live')
    GROUP BY ALL
),
sizes AS (
    SELECT
        p.cluster,
        p.log_partition,
        sum(p.bytes) / sum(p.records) AS key_value_bytes,
        any_value(d.record_bytes) AS record_bytes
    FROM record_type_usage AS p LEFT JOIN on_disk AS d USING (cluster, log_partition)
    GROUP BY ALL
)
SELECT
    b.cluster,
    b.log_partition,
    b.group_id,
    b.client_id,
    b.kind,
    sum(b.records)::BIGINT AS records,
    sum(b.bytes)::BIGINT AS bytes,
    round(if(
        any_value(s.record_bytes) >= any_value(s.key_value_bytes),
        sum(b.bytes) + sum(b.records) * any_value(s.record_bytes - s.key_value_bytes),
        sum(b.bytes) * any_value(s.record_bytes / s.key_value_bytes)
    ))::BIGINT AS disk_bytes,
    if(sum(b.no_ops) >= 0, least(sum(b.no_ops), sum(b.records)), NULL)::BIGINT AS no_op_commits,
    sum(b.superseded_records)::BIGINT AS superseded_records,
    if(sum(b.superseded_bytes) >= 0, least(sum(b.superseded_bytes), sum(b.bytes)), NULL)::BIGINT
        AS superseded_bytes, min(b.first_at) AS first_at,
    max(b.last_at) AS last_at
FROM key_sizes AS b JOIN sizes AS s USING (cluster, log_partition)
WHERE b.records > 0
GROUP BY b.cluster, b.log_partition, b.group_id, b.client_id, b.kind
ORDER BY ALL
