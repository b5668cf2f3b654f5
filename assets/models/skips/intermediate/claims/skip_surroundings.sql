-- What the group committed there before and after.
WITH placed_commits AS (
    SELECT
        p.cluster, p.log_partition, p.log_offset, p.claim_kind, p.committed_offset, p.next_log_offset,
        c.effective_log_offset AS at_offset, c.log_offset AS of_offset, c.committed_offset AS offset_then,
        c.effective_at AS at_time, c.kind AS kind_then, c.leader_epoch IS NOT NULL AS has_epoch,
        c.topic_id AS id_then, c.actor AS actor_then,
        (c.effective_log_offset, c.log_offset + (p.claim_kind <> 'below_log_start')::INT)
        <= (p.effective_log_offset, p.log_offset) AS is_before,
        (c.effective_log_offset, c.log_offset) > (p.effective_log_offset, p.log_offset) AS is_after
    FROM core.commits AS c
    JOIN _cardinality_hint('skip_candidates') AS p USING (cluster, group_id, topic, partition)
)
SELECT
    cluster, log_partition, log_offset, claim_kind,
    max((at_offset, of_offset)) FILTER (is_before AND offset_then IS NOT NULL) AS stood,
    arg_max(at_time, (at_offset, of_offset)) FILTER (is_before) AS stood_at,
    arg_max(at_time, (at_offset, of_offset)) FILTER (is_before AND kind_then <> 'repeat') AS reached_at,
    arg_max(has_epoch, (at_offset, of_offset)) FILTER (is_before) AS is_epoch_before,
    arg_min(has_epoch AND offset_then > committed_offset, (at_offset, of_offset)) FILTER (
        is_after AND (offset_then IS DISTINCT FROM committed_offset)
        AND (at_offset < next_log_offset) IS NOT FALSE
    ) AS is_epoch_after,
    arg_max(id_then, (at_offset, of_offset)) FILTER (is_before) AS stood_topic_id,
    max(offset_then) FILTER (is_before) AS read_before_to,
    min(offset_then) FILTER (is_after) AS read_after_from,
    max(at_offset) FILTER (is_after AND kind_then = 'removed') AS removed_later,
    coalesce(bool_or(is_after AND (
        kind_then IN ('first', 'unknown') OR kind_then = 'rewind' AND (actor_then IS DISTINCT FROM 'admin')
    )), FALSE) AS is_begun_anew
FROM placed_commits
GROUP BY ALL
