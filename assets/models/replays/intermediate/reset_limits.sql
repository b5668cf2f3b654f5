-- For each reset what limits its proof: from where on the log was written anew, what members that ended had not done,
-- and what was passed over.
WITH epochs AS (
    SELECT log, leader_epoch, min(base_offset) AS begins FROM replay_batches WHERE leader_epoch IS NOT NULL GROUP BY ALL
),
-- A commit names the leader epoch of what was read last. Where a later epoch begins before it, other records were read
-- there.
rewrites AS (
    SELECT t.cluster, t.log_partition, t.log_offset, min(e.begins) AS rewritten_from
    FROM (FROM replay_reset_causes JOIN replay_logs USING (cluster, topic, partition)) AS t
    JOIN epochs AS e ON e.log = t.log AND e.leader_epoch > t.stood_leader_epoch AND e.begins < t.previous_offset
    GROUP BY ALL
),
-- Who commits before it processes, and is killed, has not done what it committed last. Who committed nothing, from the
-- beginning of what it owned on, leaves no doubt.
unfinished_reads AS (
    SELECT
        t.cluster, t.log_partition, t.log_offset,
        max(e.last.committed_offset) FILTER (
            e.until_log_offset < t.effective_log_offset AND e.last.committed_offset < t.previous_offset
        ) AS done_from,
        min(if(e.last.kind IN ('advance', 'repeat'), e.last.previous_offset, 0)) FILTER (
            e.until_log_offset > t.effective_log_offset OR e.last.committed_offset >= t.previous_offset
        ) AS done_to
    FROM replay_reset_causes AS t
    JOIN
        (FROM replay_former_owners WHERE NOT was_alive AND (own > 0 OR NOT is_owner_known)) AS e
        USING (cluster, log_partition, group_id, topic, partition)
    GROUP BY ALL
),
-- Members don't read what they go past, although they commit behind it.
passed_ranges AS (
    SELECT t.cluster, t.log_partition, t.log_offset, max(s.possible_to) AS passed_to
    FROM replay_reset_causes AS t JOIN mart.skips AS s USING (cluster, group_id, topic, partition)
    WHERE
        s.kind IN ('overtaken_by_log_start', 'skipped_ahead')
        AND s.possible_from < t.previous_offset
        AND s.possible_to > t.committed_offset
    GROUP BY ALL
)
SELECT t.cluster, t.log_partition, t.log_offset, x.done_from, x.done_to, w.rewritten_from, o.passed_to
FROM replay_reset_causes AS t
LEFT JOIN unfinished_reads AS x USING (cluster, log_partition, log_offset)
LEFT JOIN rewrites AS w USING (cluster, log_partition, log_offset)
LEFT JOIN passed_ranges AS o USING (cluster, log_partition, log_offset)
