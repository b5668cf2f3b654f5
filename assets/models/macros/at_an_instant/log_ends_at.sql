-- Where the log of each data partition began and ended at an instant, how far it was replicated and how far no
-- transaction was open, as far as it was seen. Of an end that was lost nobody knows what was stable.
SELECT
    cluster, topic, partition, max(log_start_offset) AS log_start_offset,
    if(bool_or(source = 'gap'), NULL, max(log_end_offset)) AS log_end_offset, max(high_watermark) AS high_watermark,
    if(bool_or(source = 'gap' OR source = 'batch' AND until_at IS NOT NULL), NULL, max(last_stable_offset))
        AS last_stable_offset
FROM core.log_ends
WHERE reached_at <= ts AND (until_at > ts OR until_at IS NULL)
GROUP BY ALL
