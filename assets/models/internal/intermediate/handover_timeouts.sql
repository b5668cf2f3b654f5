-- How long the coordinator waits for members at most where owners of one generation were followed by those of another.
WITH owners AS (
    SELECT
        cluster, log_partition, group_id, log_offset, until_log_offset, end_reason, group_type, member_id,
        lead(log_offset) OVER (
            PARTITION BY cluster, log_partition, group_id, topic, topic_id, partition ORDER BY log_offset
        ) AS next_log_offset
    FROM core.ownership
),
handovers AS (
    SELECT DISTINCT
        cluster, log_partition, group_id, until_log_offset AS before_log_offset, next_log_offset AS log_offset
    FROM owners
    WHERE group_type = 'classic' AND end_reason = 'revoked' AND next_log_offset > until_log_offset
)
SELECT
    h.cluster, h.log_partition, h.group_id, h.log_offset, h.before_log_offset,
    max(greatest(m.rebalance_timeout_ms, m.session_timeout_ms)) AS timeout_ms
FROM handovers AS h
JOIN core.members AS m
    ON m.cluster = h.cluster AND m.log_partition = h.log_partition AND m.log_offset = h.before_log_offset
GROUP BY ALL
