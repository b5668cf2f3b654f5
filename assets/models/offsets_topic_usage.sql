-- Who fills the offsets topic: records and bytes by group, client and kind of record. Records are first added up by key, of
-- which there are few; those of a committed partition are then shared out by how many commits each client made of it.
WITH keys AS MATERIALIZED (
    SELECT cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type,
           coalesce(is_control, false) AS is_control, record_type <= 1 AND is_tombstone AS is_removal, count(*) AS records,
           sum(coalesce(key_bytes, 0) + coalesce(value_bytes, 0)) AS bytes, max(log_offset) AS last_log_offset,
           arg_max(coalesce(key_bytes, 0) + coalesce(value_bytes, 0), log_offset) AS last_bytes,
           min(_instant_of(timestamp_ms)) AS first_at, max(_instant_of(timestamp_ms)) AS last_at
    FROM raw.offset_records
    GROUP BY ALL
),
kinds AS (
    SELECT *,
           CASE WHEN is_control THEN 'transaction_marker'
                WHEN is_removal THEN 'offset_removal'
                WHEN record_type <= 1 THEN 'offset_commit'
                WHEN record_type IN (2, 3, 11, 17) THEN 'group'
                WHEN record_type IN (5, 10, 19) THEN 'member'
                WHEN record_type IN (6, 7, 12, 13, 20, 21, 24) THEN 'target_assignment'
                WHEN record_type IN (8, 14, 22) THEN 'current_assignment'
                WHEN record_type IN (4, 9, 15, 16, 18, 23) THEN 'topics'
                ELSE 'unreadable' END AS kind,
           last_log_offset = max(last_log_offset) OVER (
               PARTITION BY cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type
           ) AS has_newest
    FROM keys
),
places AS (
    SELECT cluster, log_partition, group_id, topic, partition, member_id, kind, sum(records) AS records, sum(bytes) AS bytes,
           if(kind IN ('transaction_marker', 'unreadable'), NULL, sum(records - has_newest::INT)) AS superseded_records,
           if(kind IN ('transaction_marker', 'unreadable'), NULL, sum(bytes - if(has_newest, last_bytes, 0)))
               AS superseded_bytes,
           min(first_at) AS first_at, max(last_at) AS last_at
    FROM kinds
    GROUP BY cluster, log_partition, group_id, topic, partition, member_id, kind
),
committed AS (
    SELECT cluster, log_partition, group_id, topic, partition, client_id, count(*) AS commits,
           count_if(kind = 'repeat') AS no_ops
    FROM core.commits
    WHERE kind <> 'removed'
    GROUP BY ALL
),
-- What never took effect is nobody's.
parts AS (
    FROM committed
    UNION ALL BY NAME
    SELECT p.cluster, p.log_partition, p.group_id, p.topic, p.partition, 0 AS no_ops,
           p.records - coalesce(c.commits, 0) AS commits
    FROM places AS p
    LEFT JOIN (
        SELECT cluster, log_partition, group_id, topic, partition, sum(commits) AS commits FROM committed GROUP BY ALL
    ) AS c USING (cluster, log_partition, group_id, topic, partition)
    WHERE p.kind = 'offset_commit' AND p.records > coalesce(c.commits, 0)
),
shares AS (
    SELECT cluster, log_partition, group_id, topic, partition, client_id, no_ops,
           sum(commits) OVER (place ORDER BY client_id NULLS LAST, no_ops DESC ROWS UNBOUNDED PRECEDING) AS up_to,
           up_to - commits AS up_from, sum(commits) OVER place AS of
    FROM parts
    WINDOW place AS (PARTITION BY cluster, log_partition, group_id, topic, partition)
),
members AS (
    SELECT cluster, log_partition, group_id, member_id, arg_max(client_id, log_offset) AS client_id
    FROM core.members GROUP BY ALL
),
billed AS (
    SELECT p.cluster, p.log_partition, p.group_id, s.client_id, p.kind, s.no_ops,
           up_to * records // of - up_from * records // of AS records, up_to * bytes // of - up_from * bytes // of AS bytes,
           up_to * superseded_records // of - up_from * superseded_records // of AS superseded_records,
           up_to * superseded_bytes // of - up_from * superseded_bytes // of AS superseded_bytes, p.first_at, p.last_at
    FROM places AS p
    JOIN shares AS s USING (cluster, log_partition, group_id, topic, partition)
    WHERE p.kind = 'offset_commit'
    UNION ALL BY NAME
    SELECT p.* EXCLUDE (topic, partition, member_id), m.client_id
    FROM places AS p
    LEFT JOIN members AS m USING (cluster, log_partition, group_id, member_id)
    WHERE p.kind <> 'offset_commit'
),
on_disk AS (
    SELECT cluster, partition AS log_partition,
           sum(end_position - start_position) / nullif(sum(record_count), 0) AS record_bytes
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source IN ('file', 'live')
    GROUP BY ALL
),
sizes AS (
    SELECT p.cluster, p.log_partition, sum(p.bytes) / sum(p.records) AS told_bytes, any_value(d.record_bytes) AS record_bytes
    FROM places AS p LEFT JOIN on_disk AS d USING (cluster, log_partition)
    GROUP BY ALL
)
SELECT b.cluster, b.log_partition, b.group_id, b.client_id, b.kind, sum(b.records)::BIGINT AS records, sum(b.bytes)::BIGINT AS bytes,
       round(if(any_value(s.record_bytes) >= any_value(s.told_bytes),
                sum(b.bytes) + sum(b.records) * any_value(s.record_bytes - s.told_bytes),
                sum(b.bytes) * any_value(s.record_bytes / s.told_bytes)))::BIGINT AS disk_bytes,
       if(sum(b.no_ops) >= 0, least(sum(b.no_ops), sum(b.records)), NULL)::BIGINT AS no_op_commits, sum(b.superseded_records)::BIGINT AS superseded_records,
       if(sum(b.superseded_bytes) >= 0, least(sum(b.superseded_bytes), sum(b.bytes)), NULL)::BIGINT
           AS superseded_bytes, min(b.first_at) AS first_at,
       max(b.last_at) AS last_at
FROM billed AS b JOIN sizes AS s USING (cluster, log_partition)
WHERE b.records > 0
GROUP BY b.cluster, b.log_partition, b.group_id, b.client_id, b.kind
ORDER BY ALL
