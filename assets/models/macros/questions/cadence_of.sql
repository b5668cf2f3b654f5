-- How a group commits (NULL: every group), over all its partitions: what all of them would have at risk together.
SELECT
    cluster, group_id,
    coalesce(
        mode(pattern) FILTER (pattern NOT IN ('idle', 'unknown')),
        if(count_if(pattern = 'idle') > 0, 'idle', 'unknown')
    ) AS pattern,
    count(*) AS partitions, sum(commits)::BIGINT AS commits,
    median(interval_p50_ms)::BIGINT AS interval_p50_ms, max(interval_p95_ms) AS interval_p95_ms,
    max(interval_max_ms) AS interval_max_ms, _as_bigint(median(offsets_p50)) AS offsets_p50,
    max(offsets_p95) AS offsets_p95, sum(no_op_share * intervals) / nullif(sum(intervals), 0) AS no_op_share,
    median(auto_commit_ms)::BIGINT AS auto_commit_ms, max(at_risk_ms) AS at_risk_ms,
    _as_bigint(sum(at_risk_offsets)) AS at_risk_offsets, max(last_commit_at) AS last_commit_at
FROM mart.commit_cadence
WHERE grp IS NULL OR group_id = grp
GROUP BY ALL
