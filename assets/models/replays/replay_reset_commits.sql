-- The commits that set keys back or came first, those around them, and the last two of each of these keys: new ones,
-- all of keys all of whose commits are looked up, and those that are remembered.
WITH whole_keys AS (FROM replay_searched_keys WHERE is_whole),
other_keys AS (FROM replay_reset_keys ANTI JOIN whole_keys USING (key)),
commits AS (
    SELECT c.*, k.key
    FROM core.commits AS c JOIN whole_keys AS k USING (cluster, log_partition, group_id, topic, partition)
    UNION ALL
    SELECT c.*, k.key
    FROM new_rows AS c JOIN other_keys AS k USING (cluster, log_partition, group_id, topic, partition)
)
SELECT
    h.key, h.number, h.log_offset, h.stretch, h.lowest_offset, h.state_log_offset, c.effective_log_offset,
    c.effective_at, c.kind, c.committed_offset, c.previous_offset, c.is_transactional, c.topic_id, c.leader_epoch,
    c.actor, c.store_kind, c.cause, c.idle_ms
FROM commits AS c JOIN new_reset_commits AS h USING (key, log_offset)
UNION ALL BY NAME
SELECT k.key, c.* EXCLUDE (cluster, log_partition, group_id, topic, partition)
FROM earlier_reset_commits AS c JOIN other_keys AS k USING (cluster, log_partition, group_id, topic, partition)
