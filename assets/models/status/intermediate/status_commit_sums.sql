-- For each group that is asked for up to an instant: a sum of digests of its commits before it. Where that up to an
-- earlier instant is known, and its files are all there, what has come since is added to it.
WITH asked_sums AS (
    SELECT f.*, k.final_to AS known_to, split_part(k.digest, '/', 1)::HUGEINT AS known_sum
    FROM asked_frontiers AS f
    LEFT JOIN known_frontiers AS k
        ON f.cluster = k.cluster AND f.group_id = k.group_id AND f.final_to >= k.final_to
),
commits_to_add AS (
    SELECT c.*
    FROM new_rows AS c JOIN asked_sums AS f USING (cluster, group_id)
    WHERE c.effective_at < f.known_to
    UNION ALL BY NAME
    SELECT c.*
    FROM core.commits AS c JOIN asked_sums AS f USING (cluster, group_id)
    WHERE c.effective_at >= getvariable('known_from') AND c.effective_at >= f.known_to AND c.effective_at < f.final_to
    UNION ALL BY NAME
    SELECT c.*
    FROM core.commits AS c JOIN asked_sums AS f USING (cluster, group_id)
    WHERE f.known_to IS NULL AND c.effective_at < f.final_to
),
commit_sums AS (
    SELECT
        cluster, group_id,
        sum(hash(
            topic, partition, effective_at, log_partition, log_offset, effective_log_offset, committed_offset
        )::HUGEINT) AS added
    FROM commits_to_add
    WHERE kind <> 'removed'
    GROUP BY ALL
)
SELECT f.cluster, f.group_id, f.final_to, coalesce(f.known_sum, 0) + coalesce(c.added, 0) AS commits_digest
FROM asked_sums AS f LEFT JOIN commit_sums AS c USING (cluster, group_id)
