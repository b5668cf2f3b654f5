-- The newest of the times of each cluster, but for those that lie minutes behind the last reading of its offsets topic:
-- no record is newer than that, and one of a wrong time would make everybody else look late. Where all are, the clocks
-- differ, and the newest of all it is. `times_of` names a table that has cluster and effective_at.
SELECT
    t.cluster, coalesce(max(t.effective_at) FILTER (t.effective_at <= r.read_until), max(t.effective_at)) AS newest_at
FROM query_table(times_of) AS t
LEFT JOIN (
    SELECT cluster, max(read_at) + INTERVAL 5 MINUTE AS read_until
    FROM raw.segments
    WHERE topic = '__consumer_offsets'
    GROUP BY ALL
) AS r USING (cluster)
GROUP BY t.cluster
