-- Who fills the offsets topic: records and bytes by group, client and kind of record. Records are first added up by key, of
-- which there are few.
WITH keys AS (
    SELECT cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type, is_control,
           record_type <= 1 AND is_tombstone AS is_removal, count(*) AS records,
           sum(coalesce(key_bytes, 0) + coalesce(value_bytes, 0)) AS bytes, max(log_offset) AS last_log_offset,
           arg_max(coalesce(key_bytes, 0) + coalesce(value_bytes, 0), log_offset) AS last_bytes,
           min(instant_of(timestamp_ms)) AS first_at, max(instant_of(timestamp_ms)) AS last_at
    FROM raw.offset_records
    GROUP BY ALL
),
told AS (
    SELECT *, is_control IS NOT TRUE AND record_type IS NOT NULL
              AND last_log_offset = max(last_log_offset) OVER (
                  PARTITION BY cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type
              ) AS has_newest
    FROM keys
),
repeats AS (
    SELECT cluster, log_partition, group_id, topic, partition, count_if(kind = 'repeat') AS no_op_commits
    FROM core.commits GROUP BY ALL
),
members AS (
    SELECT cluster, log_partition, group_id, member_id, arg_max(client_id, log_offset) AS client_id
    FROM core.members GROUP BY ALL
),
owners AS (
    SELECT o.cluster, o.log_partition, o.group_id, coalesce(o.topic, t.topic) AS topic, o.partition,
           if(min(o.client_id) = max(o.client_id) AND count(o.client_id) = count(*), min(o.client_id), NULL) AS client_id
    FROM core.ownership AS o
    LEFT JOIN (SELECT cluster, topic_id, arg_max(topic, last_seen_at) AS topic FROM core.topics GROUP BY ALL) AS t
        USING (cluster, topic_id)
    GROUP BY ALL
),
on_disk AS (
    SELECT cluster, partition AS log_partition,
           sum(end_position - start_position) / nullif(sum(record_count), 0) AS record_bytes
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source IN ('file', 'live')
    GROUP BY ALL
),
sizes AS (
    SELECT k.cluster, k.log_partition, sum(k.bytes) / sum(k.records) AS told_bytes, any_value(d.record_bytes) AS record_bytes
    FROM keys AS k LEFT JOIN on_disk AS d USING (cluster, log_partition)
    GROUP BY ALL
),
billed AS (
    SELECT k.*, coalesce(m.client_id, if(k.record_type <= 1, o.client_id, NULL)) AS client_id,
           if(k.record_type <= 1 AND NOT k.is_removal, coalesce(r.no_op_commits, 0), NULL) AS no_op_commits,
           if(s.record_bytes >= s.told_bytes, k.bytes + k.records * (s.record_bytes - s.told_bytes),
              k.bytes * s.record_bytes / s.told_bytes) AS disk_bytes,
           CASE WHEN k.is_control THEN 'transaction marker'
                WHEN k.is_removal THEN 'offset removal'
                WHEN k.record_type <= 1 THEN 'offset commit'
                WHEN k.record_type IN (2, 3, 11, 17) THEN 'group'
                WHEN k.record_type IN (5, 10, 19) THEN 'member'
                WHEN k.record_type IN (6, 7, 12, 13, 20, 21, 24) THEN 'target assignment'
                WHEN k.record_type IN (8, 14, 22) THEN 'current assignment'
                WHEN k.record_type IN (4, 9, 15, 16, 18, 23) THEN 'topics'
                ELSE 'unreadable' END AS kind
    FROM told AS k
    LEFT JOIN sizes AS s USING (cluster, log_partition)
    LEFT JOIN members AS m USING (cluster, log_partition, group_id, member_id)
    LEFT JOIN owners AS o USING (cluster, log_partition, group_id, topic, partition)
    LEFT JOIN repeats AS r USING (cluster, log_partition, group_id, topic, partition)
)
SELECT cluster, log_partition, group_id, client_id, kind, sum(records)::BIGINT AS records, sum(bytes)::BIGINT AS bytes,
       round(sum(disk_bytes))::BIGINT AS disk_bytes, sum(no_op_commits)::BIGINT AS no_op_commits,
       if(kind IN ('transaction marker', 'unreadable'), NULL, sum(records - has_newest::INT))::BIGINT AS superseded_records,
       if(kind IN ('transaction marker', 'unreadable'), NULL, sum(bytes - if(has_newest, last_bytes, 0)))::BIGINT
           AS superseded_bytes,
       min(first_at) AS first_at, max(last_at) AS last_at
FROM billed
GROUP BY cluster, log_partition, group_id, client_id, kind
ORDER BY ALL
