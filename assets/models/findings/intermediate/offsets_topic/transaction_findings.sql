-- Transactions that are older than transaction.max.timeout.ms, 15 minutes unless somebody set it otherwise, after which
-- brokers end them: of each group whose commits wait for one, and of the topic whose readers it holds back.
SELECT
    'transaction' AS kind,
    cluster,
    unnest(groups) AS group_id,
    'commits_pending' AS claim_kind,
    started_at AS occurred_at,
    'unknown' AS cause, if(is_gap_free, 'proven', 'likely') AS certainty, partition AS log_partition,
    first_offset AS log_offset,
    format('has pending commits in a transaction that was open for {}', _minutes_in_words(age_ms // 60000)) AS claim,
    list_distinct([first_offset, coalesce(last_offset, first_offset)]) AS evidence
FROM mart.open_transactions WHERE age_ms > 900000 AND len(groups) > 0
UNION ALL BY NAME
SELECT
    'transaction' AS kind, cluster, topic, partition, 'readers_held_back' AS claim_kind, started_at AS occurred_at,
    last_stable_offset AS possible_from, log_end_offset AS possible_to, last_stable_offset AS estimate_from,
    log_end_offset AS estimate_to, if(is_gap_free, last_stable_offset, NULL) AS certain_from,
    if(is_gap_free, log_end_offset, NULL) AS certain_to, 'unknown' AS cause,
    if(is_gap_free, 'proven', 'likely') AS certainty,
    'an open transaction hides {} from read_committed consumers' AS claim, [] AS evidence
FROM mart.open_transactions
WHERE age_ms > 900000 AND topic <> '__consumer_offsets' AND blocked_offsets IS NOT NULL
