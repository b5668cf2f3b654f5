-- For each group whose stores are final up to an instant: a digest of all that these rest on. These are its commits
-- before the instant, the grid up to there, which holes of the log were before, and up to where later commits and
-- damage say of these that they may hide something. A group in two partitions has none.
WITH commits_after_holes AS (
    SELECT cluster, group_id, topic, partition, max(effective_at) AS until_at
    FROM internal.commits_after_gaps
    WHERE effective_at IS NOT NULL
    GROUP BY ALL
),
-- A commit behind a hole that is not final yet says something only of keys that have final stores.
late_commits AS (
    SELECT DISTINCT f.cluster, f.log_partition, f.group_id, topic, partition
    FROM asked_frontiers AS f
    JOIN commits_after_holes AS h USING (cluster, group_id)
    JOIN core.commits AS c USING (cluster, log_partition, group_id, topic, partition)
    WHERE h.until_at >= f.final_to AND c.effective_at < f.final_to
),
ends_of_doubt AS (
    SELECT cluster, log_partition, group_id, sum(hash(topic, partition, until_at)::HUGEINT) AS digest
    FROM (
        SELECT f.cluster, f.log_partition, f.group_id, h.topic, h.partition, h.until_at
        FROM asked_frontiers AS f JOIN commits_after_holes AS h USING (cluster, group_id)
        WHERE h.until_at < f.final_to
        UNION ALL BY NAME
        FROM late_commits
    )
    GROUP BY ALL
),
holes AS (
    SELECT
        f.cluster, f.log_partition, f.final_to, sum(hash(g.to_log_offset, g.from_at, g.to_at)::HUGEINT) AS digest,
        max(g.to_log_offset) AS hidden_to
    FROM (SELECT DISTINCT cluster, log_partition, final_to FROM asked_frontiers) AS f
    JOIN core.log_gaps AS g USING (cluster, log_partition)
    WHERE g.from_at IS NULL OR least(g.from_at, g.to_at) < f.final_to
    GROUP BY ALL
),
damages AS (
    SELECT cluster, log_partition, max(to_log_offset) AS damaged_to FROM core.log_gaps WHERE is_damage GROUP BY ALL
),
single_groups AS (
    SELECT cluster, group_id FROM internal.group_partitions GROUP BY ALL HAVING count(*) = 1
)
SELECT
    f.cluster, f.log_partition, f.group_id, concat_ws(
        '/', c.commits_digest, coalesce(e.digest, 0), coalesce(h.digest, 0),
        least(coalesce(d.damaged_to, 0), coalesce(h.hidden_to, 0)),
        t.step_us, (t.first_us + t.step_us - 1) // t.step_us,
        least(t.last_us // t.step_us, (epoch_us(f.final_to) - 1) // t.step_us)
    ) AS digest
FROM asked_frontiers AS f
SEMI JOIN single_groups USING (cluster, group_id)
CROSS JOIN snapshot_times AS t
JOIN snapshot_sums AS c USING (cluster, log_partition, group_id)
LEFT JOIN ends_of_doubt AS e USING (cluster, log_partition, group_id)
LEFT JOIN holes AS h USING (cluster, log_partition, final_to)
LEFT JOIN damages AS d USING (cluster, log_partition)
