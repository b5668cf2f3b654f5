-- Where the log of each data partition began and ended at an instant, as far as it was seen.
SELECT cluster, topic, partition, max(log_start_offset) AS log_start_offset, max(log_end_offset) AS log_end_offset
FROM core.log_ends
WHERE reached_at <= ts
GROUP BY ALL
