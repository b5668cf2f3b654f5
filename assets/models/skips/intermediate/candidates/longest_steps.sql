-- The longest step of each group in each topic that a skip may be of, without the steps that may be skips.
WITH stepping_groups AS (
    SELECT cluster, group_id, topic FROM log_start_crossings
    UNION
    SELECT cluster, group_id, topic FROM restart_skips
    UNION
    SELECT cluster, group_id, topic FROM left_behind_skips
)
SELECT cluster, group_id, topic, max(delta) AS longest
FROM core.commits
JOIN _cardinality_hint('stepping_groups') USING (cluster, group_id, topic)
ANTI JOIN log_start_crossings USING (cluster, log_partition, log_offset)
ANTI JOIN memberless_moves USING (cluster, log_partition, log_offset)
GROUP BY ALL
