-- The offset was removed, and what members committed next is higher: they may have begun at the log end that they met.
-- Members who were there all the time read on from where they were.
WITH owners AS (
    SELECT
        o.cluster, o.log_partition, o.group_id, coalesce(o.topic, n.topic) AS topic, o.partition,
        o.log_offset AS owned_log_offset, o.seen_at AS owned_at
    FROM core.ownership AS o
    SEMI JOIN commits_after_removal USING (cluster, log_partition, group_id, partition)
    LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
)
SELECT
    f.*, 'restarted_at_latest' AS claim_kind, f.removed_offset AS possible_from, f.committed_offset AS possible_to,
    f.removal_cause AS cause, s.state_log_offset,
    if(o.owned_log_offset > f.removal_log_offset, o.owned_at, s.state_at) AS asked_at
FROM commits_after_removal AS f
ASOF LEFT JOIN group_periods AS s
    ON
        s.cluster = f.cluster AND s.log_partition = f.log_partition AND s.group_id = f.group_id
        AND s.state_log_offset < f.effective_log_offset
ASOF LEFT JOIN owners AS o
    ON
        o.cluster = f.cluster AND o.log_partition = f.log_partition AND o.group_id = f.group_id
        AND o.topic = f.topic AND o.partition = f.partition
        AND o.owned_log_offset < f.effective_log_offset
WHERE NOT coalesce(s.is_memberless, FALSE) AND coalesce(s.state_log_offset > f.removal_log_offset, TRUE)
