-- First commits of keys, each with the removal before it.
WITH removals AS (
    SELECT
        cluster, group_id, topic, partition, log_offset AS removal_log_offset, effective_log_offset,
        previous_offset AS removed_offset, coalesce(nullif(cause, 'unknown'), 'offsets_removed') AS removal_cause
    FROM _removal_causes() WHERE previous_offset IS NOT NULL AND cause IS DISTINCT FROM 'topic_deleted'
)
SELECT c.*, r.removal_log_offset, r.removed_offset, r.removal_cause
FROM (FROM _commit_steps() WHERE kind = 'first') AS c
ASOF JOIN removals AS r
    ON
        r.cluster = c.cluster AND r.group_id = c.group_id AND r.topic = c.topic AND r.partition = c.partition
        AND r.effective_log_offset < c.effective_log_offset
