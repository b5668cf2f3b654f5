-- For each group that is asked for up to an instant: a sum of digests of its commits before it. Where that up to an
-- earlier instant is known, and its files are all there, what has come since is added to it.
WITH asked_sums AS (
    SELECT f.*, k.final_to AS known_to, split_part(k.digest, '/', 1)::HUGEINT AS known_sum
    FROM asked_frontiers AS f
    LEFT JOIN known_frontiers AS k
        ON
            f.cluster = k.cluster AND f.log_partition = k.log_partition AND f.group_id = k.group_id
            AND f.final_to >= k.final_to
),
commits_to_add AS (
    SELECT c.*
    FROM new_rows AS c JOIN asked_sums AS f USING (cluster, log_partition, group_id)
    WHERE c.effective_at < f.known_to
    UNION ALL
    SELECT c.*
    FROM core.commits AS c JOIN asked_sums AS f USING (cluster, log_partition, group_id)
    WHERE c.effective_at >= getvariable('known_from') AND c.effective_at >= f.known_to AND c.effective_at < f.final_to
    UNION ALL
    SELECT c.*
    FROM core.commits AS c JOIN asked_sums AS f USING (cluster, log_partition, group_id)
    WHERE f.known_to IS NULL AND c.effective_at < f.final_to
),
commit_sums AS (
    SELECT
        cluster, log_partition, group_id,
        sum(hash(
            topic, partition, kind, committed_offset, effective_at, commit_at, leader_epoch, metadata, log_offset,
            effective_log_offset
        )::HUGEINT) AS added
    FROM commits_to_add
    GROUP BY ALL
)
SELECT f.cluster, f.log_partition, f.group_id, coalesce(f.known_sum, 0) + coalesce(c.added, 0) AS commits_digest
FROM asked_sums AS f LEFT JOIN commit_sums AS c USING (cluster, log_partition, group_id)
