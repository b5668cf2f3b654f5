-- Owners who still own a partition when another already does. Whatever the log says, each owner ends where the next
-- begins.
SELECT
    cluster,
    group_id,
    topic,
    topic_id,
    partition,
    member_id,
    log_partition,
    log_offset,
    until_log_offset,
    next_log_offset
FROM (
    SELECT
        *, lead(log_offset) OVER (
            PARTITION BY cluster, log_partition, group_id, topic, topic_id, partition ORDER BY log_offset
        ) AS next_log_offset
    FROM core.ownership
)
WHERE next_log_offset < coalesce(until_log_offset, 9223372036854775807)
ORDER BY ALL
