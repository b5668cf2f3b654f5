-- What the group committed there before and after.
SELECT
    p.cluster, p.log_partition, p.log_offset, p.claim_kind,
    max((c.effective_log_offset, c.log_offset)) FILTER (is_before AND c.committed_offset IS NOT NULL) AS stood,
    arg_max(c.effective_at, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS stood_at,
    arg_max(c.effective_at, (c.effective_log_offset, c.log_offset)) FILTER (is_before AND c.kind <> 'repeat')
        AS reached_at,
    arg_max(c.leader_epoch IS NOT NULL, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS is_epoch_before,
    arg_min(
        c.leader_epoch IS NOT NULL AND c.committed_offset > p.committed_offset, (c.effective_log_offset, c.log_offset)
    )
    FILTER (
        is_after AND c.committed_offset IS DISTINCT FROM p.committed_offset
        AND (c.effective_log_offset < p.next_log_offset) IS NOT FALSE
    ) AS is_epoch_after,
    arg_max(c.topic_id, (c.effective_log_offset, c.log_offset)) FILTER (is_before) AS stood_topic_id,
    max(c.committed_offset) FILTER (is_before) AS read_before_to,
    min(c.committed_offset) FILTER (is_after) AS read_after_from,
    max(c.effective_log_offset) FILTER (is_after AND c.kind = 'removed') AS removed_later,
    coalesce(bool_or(is_after AND (
        c.kind IN ('first', 'unknown')
        OR c.kind = 'rewind' AND c.actor IS DISTINCT FROM 'admin'
    )), FALSE) AS is_begun_anew
FROM core.commits AS c
JOIN _cardinality_hint('skip_candidates') AS p USING (cluster, group_id, topic, partition),
    LATERAL (
        SELECT
            (c.effective_log_offset, c.log_offset + (p.claim_kind <> 'below_log_start')::INT)
            <= (p.effective_log_offset, p.log_offset) AS is_before,
            (c.effective_log_offset, c.log_offset) > (p.effective_log_offset, p.log_offset) AS is_after
    )
GROUP BY ALL
