-- What may be read again since another owner came, or the same one anew. Where an admin set the offset in between, or
-- it was removed, that is told by itself.
WITH committed_keys AS (
    SELECT DISTINCT cluster, group_id, topic, partition
    FROM internal.committed_partitions
    SEMI JOIN (FROM replay_former_owners WHERE standing IS NULL) USING (cluster, group_id, topic, partition)
)
SELECT
    e.cluster, e.log_partition, e.group_id, e.topic, e.partition, claim_kind, next_log_offset AS log_offset,
    next_log_offset AS effective_log_offset, next_at AS occurred_at, standing.committed_offset AS from_offset,
    NULL::BIGINT AS to_offset,
    coalesce(
        if(is_read_between, least(last.committed_offset, standing.committed_offset), standing.committed_offset),
        log_start,
        0
    )
        AS possible_from,
    if(is_read_between, log_end_next, log_end) AS possible_to,
    NULL::BIGINT AS certain_from, NULL::BIGINT AS certain_to,
    if(
        is_all_read AND NOT is_read_between AND standing.committed_offset >= last.committed_offset, possible_from, NULL
    ) AS estimate_from,
    estimate_from AS estimate_to,
    is_on_pace OR estimate_from IS NOT NULL AS is_ordinary, _as_bigint(ceil(step)) AS step,
    coalesce(standing.committed_at, seen_at) AS from_time, cause, 'former_owner' AS actor, member_id, client_id,
    client_host, generation_before, generation_after,
    [standing.log_offset, until_log_offset, next_log_offset] AS evidence, is_another_log
FROM (
    FROM replay_former_owners WHERE standing IS NOT NULL
    UNION ALL
    FROM (FROM replay_former_owners WHERE standing IS NULL)
    SEMI JOIN committed_keys USING (cluster, group_id, topic, partition)
) AS e
ANTI JOIN replay_reset_causes AS t
    ON
        t.cluster = e.cluster AND t.log_partition = e.log_partition AND t.group_id = e.group_id
        AND t.topic = e.topic AND t.partition = e.partition
        AND (
            t.removal_log_offset = e.standing.log_offset
            OR t.log_offset = e.standing.log_offset AND t.effective_log_offset > e.until_log_offset
        )
WHERE
    next_log_offset IS NOT NULL AND standing.cause IS DISTINCT FROM 'topic_deleted'
    AND coalesce(possible_to > possible_from, TRUE)
