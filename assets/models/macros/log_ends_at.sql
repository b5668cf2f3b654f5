-- Where the log of each data partition began and ended at an instant, how far it was replicated and how far no
-- transaction was open, as far as it was seen.
SELECT cluster, topic, partition, max(log_start_offset) AS log_start_offset, max(log_end_offset) AS log_end_offset,
       max(high_watermark) AS high_watermark, max(last_stable_offset) AS last_stable_offset
FROM core.log_ends
WHERE reached_at <= ts
GROUP BY ALL
