-- Where the logs began, from when on: a log start never goes back.
SELECT
    log, epoch_us(reached_at) AS reached_at,
    max(log_start_offset) OVER (PARTITION BY log ORDER BY reached_at) AS log_start_offset
FROM core.log_ends
JOIN (SELECT DISTINCT cluster, topic, partition, log FROM lag_partitions) USING (cluster, topic, partition)
WHERE log_start_offset IS NOT NULL AND reached_at IS NOT NULL
ORDER BY log, reached_at
