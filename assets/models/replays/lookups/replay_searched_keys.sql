-- The keys whose commits are all looked up, from the first one on: in partitions where nothing is remembered, or where
-- older commits came late; keys whose owners are others than before, or ended elsewhere; and those that were set back of
-- which nothing is remembered, or whose group was in other states.
WITH ends AS (
    SELECT key, sum(hash(until_log_offset, from_log_offset, owned_log_offset)::HUGEINT) AS digest
    FROM (SELECT DISTINCT key, until_log_offset, from_log_offset, owned_log_offset FROM ownership_ends)
    GROUP BY ALL
),
earlier_ends AS (
    SELECT k.key, sum(hash(until_log_offset, from_log_offset, owned_log_offset)::HUGEINT) AS digest
    FROM earlier_handover_commits JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
),
runs AS (
    SELECT r.*, k.key, k.grp
    FROM earlier_reset_runs AS r
    JOIN replay_reset_keys AS k USING (cluster, log_partition, group_id, topic, partition)
),
other_states AS (
    SELECT r.key
    FROM runs AS r ASOF LEFT JOIN replay_group_states AS g ON g.grp = r.grp AND g.log_offset < r.last_position
    WHERE
        (g.log_offset IS DISTINCT FROM r.state_log_offset)
        OR (coalesce(g.is_read_in, FALSE) IS DISTINCT FROM r.is_read_in)
)
SELECT k.key, k.cluster, k.log_partition, k.group_id, k.topic, k.partition
FROM replay_keys AS k
LEFT JOIN replay_partitions AS p USING (cluster, log_partition)
LEFT JOIN ends AS e USING (key)
LEFT JOIN earlier_ends AS b USING (key)
WHERE
    p.is_continued IS NOT TRUE OR (e.digest IS DISTINCT FROM b.digest) OR k.key IN (FROM other_states)
    OR k.key IN (SELECT key FROM replay_reset_keys ANTI JOIN runs USING (key))
