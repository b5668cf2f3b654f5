-- Up to which instant the status of each group will most likely stay as it is: up to the horizon of its cluster. A
-- group of which older facts came later once waits until all logs of its keys are read as far, but for a day at most.
-- What is in fact the same, `status_digests` says.
WITH late_groups AS (
    SELECT k.cluster, k.group_id, min(t.newest_at) AS read_to
    FROM (
        SELECT DISTINCT cluster, group_id, topic, partition
        FROM internal.offset_snapshots
        SEMI JOIN (FROM earlier_frontiers WHERE is_late) USING (cluster, group_id)
    ) AS k
    JOIN (
        SELECT cluster, topic, partition, max(reached_at) AS newest_at FROM internal.batch_index GROUP BY ALL
    ) AS t USING (cluster, topic, partition)
    GROUP BY ALL
)
SELECT
    g.cluster, g.group_id,
    least(h.horizon_at, greatest(l.read_to, if(l.read_to IS NULL, NULL, h.horizon_at - INTERVAL 1 DAY))) AS final_to
FROM (
    SELECT DISTINCT cluster, group_id FROM internal.committed_partitions WHERE first_commit_at IS NOT NULL
) AS g
JOIN horizons AS h USING (cluster)
LEFT JOIN late_groups AS l USING (cluster, group_id)
