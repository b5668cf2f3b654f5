-- What each topic's offsets come to.
WITH commit_counts AS (
    SELECT
        cluster, log_partition, group_id, topic, partition, client_id, count(*) AS commits,
        count_if(kind = 'repeat') AS no_ops
    FROM core.commits
    WHERE kind <> 'removed' AND log_partition >= 0
    GROUP BY ALL
),
-- What never took effect is nobody's.
parts AS (
    FROM commit_counts
    UNION ALL BY NAME
    SELECT
        p.cluster, p.log_partition, p.group_id, p.topic, p.partition, 0 AS no_ops,
        p.records - coalesce(c.commits, 0) AS commits
    FROM record_type_usage AS p
    LEFT JOIN (
        SELECT cluster, log_partition, group_id, topic, partition, sum(commits) AS commits
        FROM commit_counts
        GROUP BY ALL
    ) AS c USING (cluster, log_partition, group_id, topic, partition)
    WHERE p.kind = 'offset_commit' AND p.records > coalesce(c.commits, 0)
)
SELECT
    cluster, log_partition, group_id, topic, partition, client_id, no_ops,
    sum(commits) OVER (place ORDER BY client_id NULLS LAST, no_ops DESC ROWS UNBOUNDED PRECEDING) AS up_to,
    up_to - commits AS up_from, sum(commits) OVER place AS of
FROM parts
WINDOW place AS (PARTITION BY cluster, log_partition, group_id, topic, partition)
