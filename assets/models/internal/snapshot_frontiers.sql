-- Up to which instant the stores of each group will most likely stay as they are: ten minutes before the newest commit
-- of its cluster, or where older facts came later once, before that of its partition of the offsets topic. Of a group
-- in two partitions nothing is final. What is in fact the same, `snapshot_digests` says.
WITH newest_commits AS (
    SELECT cluster, log_partition, max(effective_at) AS newest_at
    FROM core.commits
    WHERE effective_at <= (SELECT make_timestamptz(last_us) FROM snapshot_times)
    GROUP BY ALL
),
newest_times AS (
    SELECT *, max(newest_at) OVER (PARTITION BY cluster) AS cluster_newest_at FROM newest_commits
),
group_counts AS (
    SELECT cluster, group_id, log_partition, count(*) OVER (PARTITION BY cluster, group_id) AS partitions
    FROM internal.group_partitions
)
SELECT
    g.cluster, g.log_partition, g.group_id, if(
        g.partitions = 1,
        if(coalesce(f.is_late, FALSE), h.newest_at, h.cluster_newest_at) - INTERVAL 10 MINUTE, NULL
    ) AS final_to
FROM group_counts AS g
LEFT JOIN newest_times AS h USING (cluster, log_partition)
LEFT JOIN earlier_frontiers AS f USING (cluster, log_partition, group_id)
