-- Up to when most of what was read of each cluster will stay as it is: ten minutes before its newest commit, its newest
-- log end and the last reading, whichever is first.
SELECT
    c.cluster,
    least(c.newest_at, l.newest_at, (SELECT max(s.read_at) FROM raw.segments AS s)) - INTERVAL 10 MINUTE AS horizon_at
FROM (SELECT cluster, max(effective_at) AS newest_at FROM core.commits WHERE kind <> 'removed' GROUP BY cluster) AS c
LEFT JOIN (SELECT cluster, max(reached_at) AS newest_at FROM internal.batch_index GROUP BY cluster) AS l USING (cluster)
