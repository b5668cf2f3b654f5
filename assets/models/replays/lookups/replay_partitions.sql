-- The partitions of the offsets topic: up to where commits are looked up in each, and whether new ones came only behind
-- where they were looked up before.
WITH new_places AS (
    SELECT cluster, log_partition, min(effective_log_offset) AS first_position FROM new_rows GROUP BY ALL
),
handover_places AS (
    SELECT cluster, log_partition, max(greatest(until_log_offset, from_log_offset)) AS last_place
    FROM earlier_handover_commits GROUP BY ALL
),
last_positions AS (
    SELECT cluster, log_partition, max(newest_effective_log_offset) AS last_position
    FROM internal.committed_partitions GROUP BY ALL
)
SELECT
    p.cluster, p.log_partition, p.last_position,
    e.last_position IS NOT NULL
    AND coalesce(n.first_position > greatest(e.last_position, h.last_place), TRUE) AS is_continued
FROM last_positions AS p
LEFT JOIN earlier_searched_partitions AS e USING (cluster, log_partition)
LEFT JOIN new_places AS n USING (cluster, log_partition)
LEFT JOIN handover_places AS h USING (cluster, log_partition)
