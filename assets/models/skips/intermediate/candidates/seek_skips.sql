-- A client knows the leader epoch of what it read last. A commit without one that goes ahead, amid those that have one,
-- is where it was told to go on, or where the log began by then; unless its members end there: who is told to go back
-- does so, too.
WITH keys_with_epochs AS (
    SELECT cluster, group_id, topic, partition
    FROM skip_keys
    GROUP BY ALL HAVING sum(with_epoch) >= 20 * sum(without_epoch) AND sum(without_epoch) > 0
)
SELECT
    c.*, 'skipped_ahead' AS claim_kind, previous_offset AS possible_from, committed_offset AS possible_to,
    if(l.log_start_offset > previous_offset, 'unknown', 'seek') AS cause, s.state_log_offset, s.next_log_offset,
    s.is_memberless
FROM (
    FROM _commit_steps() JOIN _cardinality_hint('keys_with_epochs') USING (cluster, group_id, topic, partition)
    WHERE kind = 'advance' AND leader_epoch IS NULL AND is_transactional IS NOT DISTINCT FROM FALSE
) AS c
ASOF JOIN group_periods AS s
    ON
        s.cluster = c.cluster AND s.log_partition = c.log_partition AND s.group_id = c.group_id
        AND s.state_log_offset < c.effective_log_offset
LEFT JOIN
    (SELECT cluster, topic, partition, max(log_start_offset) AS log_start_offset FROM log_start_history GROUP BY ALL
    ) AS l
    ON l.cluster = c.cluster AND l.topic = c.topic AND l.partition = c.partition
