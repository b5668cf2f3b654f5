-- The columns of commits that claims ask for, whatever they may turn out to be.
SELECT
    cluster,
    group_id,
    topic,
    partition,
    log_partition,
    log_offset,
    effective_log_offset,
    effective_at,
    kind,
    committed_offset,
    previous_offset, leader_epoch, topic_id, is_transactional, actor, store_kind
FROM core.commits
