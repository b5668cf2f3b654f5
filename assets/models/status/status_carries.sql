-- Where windows of keys begin at the first instant of which rows are missing: the last ten commits up to the snapshot
-- before it took effect at `ten_from_log_offset` or behind it, or as early as the one that stood then, where a clock
-- stepped back.
WITH instants AS (
    SELECT g.from_at, max(s.taken_at) AS taken_at
    FROM (SELECT DISTINCT from_at FROM status_groups) AS g
    JOIN (SELECT DISTINCT taken_at FROM internal.offset_snapshots) AS s ON s.taken_at <= g.from_at
    GROUP BY ALL
)
SELECT s.cluster, s.group_id, s.topic, s.partition, s.effective_at AS effective_from, s.ten_from_log_offset
FROM instants AS i
JOIN status_groups AS g USING (from_at)
JOIN internal.offset_snapshots AS s
    ON s.taken_at = i.taken_at AND s.cluster = g.cluster AND s.group_id = g.group_id
