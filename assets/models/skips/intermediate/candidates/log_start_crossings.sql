-- Commits that went over a log start, unless the log still began before it later.
WITH crossings AS (
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM _commit_steps() AS c
    JOIN _cardinality_hint('log_start_history') AS s
        ON
            s.cluster = c.cluster
            AND s.topic = c.topic
            AND s.partition = c.partition
            AND s.bin = c.committed_offset >> 16
    WHERE c.kind = 'advance' AND c.previous_offset < s.log_start_offset AND c.committed_offset >= s.log_start_offset
    UNION ALL
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM _commit_steps() AS c
    JOIN _cardinality_hint('log_start_history') AS s
        ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition AND s.bin = c.previous_offset >> 16
    WHERE c.kind = 'advance' AND c.previous_offset < s.log_start_offset AND s.bin < c.committed_offset >> 16
    UNION ALL
    SELECT c.*, s.* EXCLUDE (cluster, topic, partition, topic_id, bin), s.topic_id AS log_topic_id
    FROM _commit_steps() AS c
    JOIN
        _cardinality_hint('log_start_history') AS s
        ON s.cluster = c.cluster AND s.topic = c.topic AND s.partition = c.partition
    WHERE
        c.kind = 'advance' AND c.committed_offset >> 16 > (c.previous_offset >> 16) + 1
        AND s.bin > c.previous_offset >> 16 AND s.bin < c.committed_offset >> 16
)
SELECT
    n.* EXCLUDE (began_earlier_at, log_topic_id),
    e.state_log_offset,
    e.state_at,
    e.next_at AS members_at,
    e.is_state_whole
FROM (
    FROM crossings ANTI JOIN memberless_moves USING (cluster, log_partition, log_offset)
    WHERE coalesce(effective_at > began_earlier_at, TRUE) AND (topic_id <> log_topic_id) IS NOT TRUE
) AS n
ASOF LEFT JOIN (FROM group_periods WHERE is_memberless) AS e
    ON
        e.cluster = n.cluster AND e.log_partition = n.log_partition AND e.group_id = n.group_id
        AND e.state_log_offset < n.effective_log_offset
