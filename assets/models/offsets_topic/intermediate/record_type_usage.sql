-- What the records of each type come to, by partition of the offsets topic and by group.
WITH keys AS MATERIALIZED (
    SELECT
        cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type,
        coalesce(is_control, FALSE) AS is_control, record_type <= 1 AND is_tombstone AS is_removal, count(*) AS records,
        sum(coalesce(key_bytes, 0) + coalesce(value_bytes, 0)) AS bytes, max(log_offset) AS last_log_offset,
        arg_max(coalesce(key_bytes, 0) + coalesce(value_bytes, 0), log_offset) AS last_bytes,
        min(_instant_of(timestamp_ms)) AS first_at, max(_instant_of(timestamp_ms)) AS last_at
    FROM raw.offset_records
    GROUP BY ALL
),
kinds AS (
    SELECT
        *,
        CASE
            WHEN is_control THEN 'transaction_marker'
            WHEN is_removal THEN 'offset_removal'
            WHEN record_type <= 1 THEN 'offset_commit'
            WHEN record_type IN (2, 3, 11, 17) THEN 'group'
            WHEN record_type IN (5, 10, 19) THEN 'member'
            WHEN record_type IN (6, 7, 12, 13, 20, 21, 24) THEN 'target_assignment'
            WHEN record_type IN (8, 14, 22) THEN 'current_assignment'
            WHEN record_type IN (4, 9, 15, 16, 18, 23) THEN 'topics'
            ELSE 'unreadable'
        END AS kind,
        last_log_offset = max(last_log_offset) OVER (
            PARTITION BY cluster, log_partition, group_id, topic, partition, member_id, regular_expression, record_type
        ) AS has_newest
    FROM keys
)
SELECT
    cluster, log_partition, group_id, topic, partition, member_id, kind, sum(records) AS records, sum(bytes) AS bytes,
    if(kind IN ('transaction_marker', 'unreadable'), NULL, sum(records - has_newest::INT)) AS superseded_records,
    if(kind IN ('transaction_marker', 'unreadable'), NULL, sum(bytes - if(has_newest, last_bytes, 0)))
        AS superseded_bytes,
    min(first_at) AS first_at, max(last_at) AS last_at
FROM kinds
GROUP BY cluster, log_partition, group_id, topic, partition, member_id, kind
