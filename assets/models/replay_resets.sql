-- Offsets that were set back, or set anew after their removal: who did it, who had read before it and how far, and whether the
-- log is still the one that was read.
WITH turned AS (
    SELECT DISTINCT cluster, log_partition, group_id, topic, partition FROM replay_set_backs
),
told AS (
    SELECT DISTINCT cluster, group_id FROM core.generations
),
lives AS (
    SELECT cluster, topic, max(first_seen_at) AS latest_at FROM core.topics GROUP BY ALL HAVING count(*) > 1
),
diverged AS (
    SELECT cluster, topic, partition, min(base_offset) AS diverged_from, max(max_timestamp_ms) AS rewritten_ms
    FROM raw.diverged_batches GROUP BY ALL
),
last_starts AS (
    SELECT log, max(log_start_offset) AS begins
    FROM core.log_ends JOIN replay_logs USING (cluster, topic, partition)
    WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
    GROUP BY ALL
),
firsts AS (
    SELECT log, min(base_offset) AS first_offset FROM replay_batches GROUP BY ALL
),
epochs AS (
    SELECT log, leader_epoch, min(base_offset) AS begins FROM replay_batches WHERE leader_epoch IS NOT NULL GROUP BY ALL
),
rewritten AS (
    -- A commit names the leader epoch of what was read last. Where a later epoch begins before it, other records were read there.
    SELECT t.cluster, t.log_partition, t.log_offset, min(e.begins) AS rewritten_from
    FROM (FROM replay_set_backs JOIN replay_logs USING (cluster, topic, partition)) AS t
    JOIN epochs AS e ON e.log = t.log AND e.leader_epoch > t.stood_leader_epoch AND e.begins < t.previous_offset
    GROUP BY ALL
),
unsure AS (
    -- Who commits before it processes, and is killed, has not done what it committed last. Who committed nothing, from the
    -- beginning of what it owned on, leaves no doubt.
    SELECT t.cluster, t.log_partition, t.log_offset,
           max(e.last.committed_offset) FILTER (
               e.until_log_offset < t.effective_log_offset AND e.last.committed_offset < t.previous_offset
           ) AS done_from,
           min(if(e.last.kind IN ('advance', 'repeat'), e.last.previous_offset, 0)) FILTER (
               e.until_log_offset > t.effective_log_offset OR e.last.committed_offset >= t.previous_offset
           ) AS done_to
    FROM replay_set_backs AS t
    JOIN (FROM replay_former_owners WHERE NOT was_alive AND (own > 0 OR NOT is_owner_known)) AS e USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
),
passed_over AS (
    -- Members don't read what they go past, although they commit behind it.
    SELECT t.cluster, t.log_partition, t.log_offset, max(s.possible_to) AS passed_to
    FROM replay_set_backs AS t JOIN mart.skips AS s USING (cluster, group_id, topic, partition)
    WHERE s.kind IN ('overtaken_by_log_start', 'skipped_ahead') AND s.possible_from < t.previous_offset AND s.possible_to > t.committed_offset
    GROUP BY ALL
),
lowered AS (
    SELECT t.*, x.done_from, x.done_to, w.rewritten_from, o.passed_to, e.cause AS ended_for, e.is_clean, e.log_end AS read_to_before,
           e.log_end_next, u.log_start, u.log_end, r.log_start AS removed_log_start, f.first_offset,
           coalesce(u.is_later AND u.log_end < t.previous_offset, FALSE) AS is_another_log,
           if(is_another_log, NULL, u.log_end) AS _known_end,
           if(r.is_later AND r.log_end < t.previous_offset, NULL, r.log_end) AS removed_log_end, least(m.log_end, r.log_end) AS same_to,
           b.log_end >= t.previous_offset AND NOT b.is_later AS was_there, d.diverged_from,
           s.begins AS last_log_start, l.latest_at > t.stood_at AS is_other_life,
           coalesce(m.log_end < t.previous_offset OR r.log_end < t.previous_offset AND b.log_end < t.previous_offset, FALSE)
               OR coalesce(d.diverged_from < t.previous_offset
                           AND (b.log_end < t.previous_offset OR d.rewritten_ms > epoch_ms(t.stood_at)), FALSE) AS is_cut,
           g.cluster IS NOT NULL AS is_told
    FROM (FROM replay_set_backs JOIN replay_logs USING (cluster, topic, partition)) AS t
    ASOF LEFT JOIN (FROM replay_former_owners SEMI JOIN turned USING (cluster, log_partition, group_id, topic, partition) WHERE claim_kind = 'handed_over') AS e
        ON e.cluster = t.cluster AND e.log_partition = t.log_partition AND e.group_id = t.group_id
            AND e.topic = t.topic AND e.partition = t.partition
        AND e.until_log_offset < t.effective_log_offset
    LEFT JOIN replay_bounds AS u ON u.log = t.log AND u.occurred_at = t.effective_at
    LEFT JOIN replay_bounds AS r ON r.log = t.log AND r.occurred_at = t.removed_at
    LEFT JOIN replay_bounds AS m ON m.log = t.log AND m.occurred_at = t.stood_at + INTERVAL 1 MINUTE
    LEFT JOIN replay_bounds AS b ON b.log = t.log AND b.occurred_at = t.stood_at
    LEFT JOIN diverged AS d ON d.cluster = t.cluster AND d.topic = t.topic AND d.partition = t.partition
    LEFT JOIN last_starts AS s ON s.log = t.log
    LEFT JOIN firsts AS f ON f.log = t.log
    LEFT JOIN lives AS l ON l.cluster = t.cluster AND l.topic = t.topic
    LEFT JOIN told AS g ON g.cluster = t.cluster AND g.group_id = t.group_id
    LEFT JOIN unsure AS x ON x.cluster = t.cluster AND x.log_partition = t.log_partition
        AND x.log_offset = t.log_offset
    LEFT JOIN rewritten AS w ON w.cluster = t.cluster AND w.log_partition = t.log_partition AND w.log_offset = t.log_offset
    LEFT JOIN passed_over AS o ON o.cluster = t.cluster AND o.log_partition = t.log_partition
        AND o.log_offset = t.log_offset
    WHERE t.is_same_topic IS DISTINCT FROM FALSE AND t.removed_for IS DISTINCT FROM 'topic_deleted'
),
judged AS (
    -- An offset that is set while a group has no members binds the member that comes next, and what members commit they declare
    -- to have read: what they declared before and after was read twice. Members that move an offset themselves may have begun
    -- anywhere. So may those that first commit beyond what stood: at the log end, or where an offset that they keep elsewhere had
    -- come to.
    SELECT *,
           CASE WHEN is_cut THEN 'truncated' WHEN is_after_removal AND NOT is_by_admin THEN 'restarted_at_earliest' ELSE 'set_back' END
               AS claim_kind,
           CASE WHEN is_cut THEN log_start WHEN is_by_admin THEN committed_offset
                WHEN is_after_removal THEN coalesce(removed_log_start, 0) ELSE coalesce(log_start, 0) END AS possible_from,
           CASE WHEN is_cut THEN least(previous_offset, same_to, diverged_from)
                WHEN is_by_admin AND is_clean THEN previous_offset
                WHEN is_by_admin OR is_after_removal
                THEN greatest(previous_offset, coalesce(read_to_before, removed_log_end, _known_end))
                    + if(read_to_before IS NULL AND removed_log_end IS NULL AND _known_end IS NULL, NULL, 0)
                WHEN _known_end IS NOT NULL THEN greatest(previous_offset, _known_end) END AS possible_to,
           greatest(possible_from, committed_offset, final_offset, declared_from, last_log_start, done_from, passed_to) AS surely_from,
           least(previous_offset, stood_offset, read_to, diverged_from, rewritten_from, done_to) AS surely_to,
           coalesce((state = 'Empty' OR is_after_removal) AND NOT is_transactional AND NOT is_cut AND is_other_life IS NOT TRUE
                    AND (log_end < previous_offset) IS NOT TRUE AND (NOT is_after_removal OR is_same_topic OR was_there)
                    AND (state <> 'Empty' OR begun_to < least(previous_offset, stood_offset))
                    AND declared_from IS NOT NULL AND previous_offset IS NOT NULL AND final_offset IS NOT NULL
                    AND surely_from < surely_to, FALSE) AS is_certain
    FROM (SELECT * REPLACE (is_cut AND NOT is_another_log AS is_cut) FROM lowered)
)
SELECT *, CASE WHEN is_transactional THEN 'transaction' WHEN NOT is_told THEN written_by WHEN is_by_admin THEN 'admin'
               WHEN state = 'Empty' THEN coalesce(written_by, 'unknown')
               WHEN member_id IS NULL OR state NOT IN ('Stable', 'Assigning', 'Reconciling') THEN 'unknown'
               WHEN owned_until > log_offset THEN 'owner' ELSE 'former_owner' END AS actor
FROM (
    SELECT j.*, o.member_id, o.client_id, o.client_host, coalesce(o.until_log_offset, 9223372036854775807) AS owned_until
    FROM judged AS j
    ASOF LEFT JOIN (FROM owners() SEMI JOIN turned USING (cluster, log_partition, group_id, topic, partition) WHERE topic IS NOT NULL) AS o
        ON o.cluster = j.cluster AND o.log_partition = j.log_partition AND o.group_id = j.group_id
            AND o.topic = j.topic AND o.partition = j.partition
        AND o.log_offset <= j.log_offset
)
