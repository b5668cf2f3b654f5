-- Records that producers wrote twice, by topic.
SELECT
    'produced' AS kind, cluster, topic, p.kind AS claim_kind, min(first_record_at) AS occurred_at, 'unknown' AS cause,
    if(bool_and(certainty = 'proven'), 'proven', 'likely') AS certainty, [] AS evidence,
    if(
        p.kind = 'sequence_gap', format('sequence numbers of producers are missing in {:,} places', count(*)),
        format('producers wrote {:,} records twice', sum(record_count)::BIGINT)
    ) AS claim
FROM mart.producer_duplicates AS p WHERE certainty IN ('proven', 'likely') GROUP BY cluster, p.kind, topic
