-- The commits and removals that are looked up, in any order: older ones, too, of the keys that are searched, and the
-- new ones of all other keys of which replays may tell.
SELECT
    key::INTEGER AS key, effective_log_offset AS position, log_offset, committed_offset, previous_offset,
    epoch_us(effective_at) AS effective_us, kind, cause, is_transactional,
    coalesce(actor IN ('simple_consumer', 'admin', 'unknown'), FALSE) AS is_outside,
    leader_epoch IS NOT NULL AS has_epoch, store_kind = 'spark_checkpoint' AS is_batch,
    (store_kind = 'zookeeper') AND (actor IS DISTINCT FROM 'owner') AS is_by_stranger
FROM searched_commits
