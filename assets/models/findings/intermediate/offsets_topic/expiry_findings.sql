-- Offsets that are gone within a day of the newest commit, where losing them costs something.
WITH topic_offsets AS (FROM mart.offsets_now WHERE log_partition >= 0)
SELECT
    'expiring' AS kind, cluster, group_id, topic, partition,
    CASE
        WHEN expiry_basis = 'explicit' THEN 'explicit_expiry'
        WHEN offsets_retention_origin = 'default' THEN 'default_retention' ELSE 'configured_retention'
    END AS claim_kind, f.retention_started_at AS from_time,
    last_at AS occurred_at,
    'expiry' AS cause,
    if(expiry_basis = 'explicit', 'proven', 'likely') AS certainty,
    log_partition,
    log_offset,
    strftime(min(expires_at) OVER (PARTITION BY cluster, group_id), 'loses its offsets from %Y-%m-%d %H:%M UTC on')
        AS claim,
    [log_offset] AS evidence
FROM mart.expiry_forecast AS f
JOIN (SELECT cluster, newest_at AS last_at FROM _newest_of('topic_offsets')) AS n USING (cluster)
WHERE
    expires_at < last_at + INTERVAL 1 DAY AND NOT is_overdue AND (earliest_offsets > 0 OR latest_offsets > 0)
    AND NOT _is_throwaway(group_id)
