-- The end of the batches of each log.
SELECT cluster, topic, partition, max(last_offset) + 1 AS last_end, max(max_at) AS last_at
FROM data_batches
GROUP BY ALL
