-- How far each of these logs is known to have reached, and since when.
SELECT log, reached_at, begins, max(ends) OVER (PARTITION BY log ORDER BY reached_at) AS ends
FROM (
    SELECT log, reached_at, min(begins) AS begins, max(ends) AS ends
    FROM (
        SELECT
            log, base_offset AS begins, last_offset + 1 AS ends,
            make_timestamptz(1000 * max(max_timestamp_ms) OVER (PARTITION BY log ORDER BY base_offset)) AS reached_at
        FROM replay_batches
        WHERE max_timestamp_ms BETWEEN 0 AND 253402300799999
        UNION ALL
        SELECT log, log_end_offset, log_end_offset, reached_at
        FROM core.log_ends JOIN replay_logs USING (cluster, topic, partition)
        WHERE source <> 'batch' AND log_end_offset IS NOT NULL AND reached_at IS NOT NULL
    )
    GROUP BY ALL
)
