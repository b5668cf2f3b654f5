-- Partitions of the offsets topic that the log cleaner has left alone for too long.
SELECT
    'cleaner' AS kind, cluster, '__consumer_offsets' AS topic, log_partition AS partition, 'stuck' AS claim_kind,
    waiting_since AS occurred_at,
    waiting_from AS possible_from,
    cleanable_to AS possible_to,
    waiting_from AS estimate_from,
    cleanable_to AS estimate_to, 'unknown' AS cause, 'likely' AS certainty, log_partition,
    waiting_from AS log_offset, 'the log cleaner leaves {} uncleaned' AS claim, [waiting_from] AS evidence
FROM mart.offsets_topic_compaction WHERE verdict = 'stuck'
