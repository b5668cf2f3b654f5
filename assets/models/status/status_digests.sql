-- For each group whose status is final up to an instant: a digest of all that its rows before it rest on. These are the
-- instants of the grid, the commits of its keys, where the logs of these keys ended, while that was known within bounds
-- only, and where a hole may hide a commit. All of it is dated, and a row looks at nothing that is dated behind it: not
-- where a clock stepped back either, for the last commits of a window are the last ones of the log among those that
-- took effect up to the instant. Of a key whose first commit comes later there is no window yet, and removals end none.
-- A bound that ends behind the frontier holds before it whenever it ends.
WITH group_logs AS (
    SELECT DISTINCT f.cluster, f.group_id, f.final_to, p.topic, p.partition
    FROM asked_frontiers AS f JOIN internal.committed_partitions AS p USING (cluster, group_id)
    WHERE p.first_commit_at < f.final_to
),
logs AS (SELECT DISTINCT cluster, topic, partition, final_to FROM group_logs),
log_ends AS (
    SELECT l.cluster, l.topic, l.partition, l.final_to, sum(hash(i.reached_at, i.log_end_offset)::HUGEINT) AS digest
    FROM logs AS l JOIN internal.batch_index AS i USING (cluster, topic, partition)
    WHERE i.is_new_log_end AND i.reached_at < l.final_to
    GROUP BY ALL
),
end_bounds AS (
    SELECT
        l.cluster, l.topic, l.partition, l.final_to,
        sum(hash(b.from_at, if(b.to_at < l.final_to, b.to_at, NULL))::HUGEINT) AS digest
    FROM logs AS l JOIN core.log_end_bounds AS b USING (cluster, topic, partition)
    WHERE b.from_at < l.final_to
    GROUP BY ALL
),
log_digests AS (
    SELECT c.cluster, c.group_id, sum(hash(c.topic, c.partition, e.digest, b.digest)::HUGEINT) AS digest
    FROM group_logs AS c
    LEFT JOIN log_ends AS e USING (cluster, topic, partition, final_to)
    LEFT JOIN end_bounds AS b USING (cluster, topic, partition, final_to)
    GROUP BY ALL
),
hidden_offsets AS (
    SELECT f.cluster, f.group_id, sum(hash(s.topic, s.partition, s.taken_at)::HUGEINT) AS digest
    FROM asked_frontiers AS f JOIN internal.offset_snapshots AS s USING (cluster, group_id)
    WHERE NOT s.is_known AND s.taken_at < f.final_to
    GROUP BY ALL
)
SELECT
    f.cluster, f.group_id,
    concat_ws(
        '/', f.commits_digest, g.first_us, g.step_us,
        greatest(0, (least(g.last_us, epoch_us(f.final_to) - 1) - g.first_us + g.step_us) // g.step_us),
        coalesce(k.digest, 0), coalesce(h.digest, 0)
    ) AS digest
FROM status_commit_sums AS f
LEFT JOIN log_digests AS k USING (cluster, group_id)
LEFT JOIN hidden_offsets AS h USING (cluster, group_id)
LEFT JOIN status_grid AS g ON TRUE
