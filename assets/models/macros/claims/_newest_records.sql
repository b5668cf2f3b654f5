-- The newest time of each cluster that commits and records of groups in the offsets topic name.
WITH times AS (
    SELECT cluster, effective_at FROM mart.offsets_now WHERE log_partition >= 0
    UNION ALL
    SELECT cluster, from_at FROM core.group_states WHERE source IS DISTINCT FROM 'text_log'
)
FROM _newest_of('times')
