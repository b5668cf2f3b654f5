-- Commits that no log bears out, copies of a log that differ, and groups in a partition that is not theirs.
SELECT
    'diverged' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    kind AS claim_kind,
    first_at AS occurred_at,
    from_offset AS possible_from,
    to_offset AS possible_to, if(certainty = 'proven', from_offset, NULL) AS certain_from,
    if(certainty = 'proven', to_offset, NULL) AS certain_to, from_offset AS estimate_from, to_offset AS estimate_to,
    'truncation' AS cause,
    certainty,
    log_partition,
    log_offset,
    list_distinct([log_offset, last_log_offset]) AS evidence,
    if(
        certainty = 'proven', 'committed {} that its log lost or never had',
        'probably committed {} that its log lost or never had'
    ) AS claim
FROM mart.log_divergence
WHERE kind IN ('commit_of_truncated_records', 'commit_ahead_of_log') AND certainty IN ('proven', 'likely')
UNION ALL BY NAME
SELECT
    'diverged' AS kind, cluster, topic, partition, d.kind AS claim_kind, 'unknown' AS cause,
    'proven' AS certainty, if(topic = '__consumer_offsets', partition, NULL) AS log_partition,
    if(topic = '__consumer_offsets', min(from_offset), NULL) AS log_offset,
    if(d.kind = 'truncated_records', 'a replica holds records that the log does not have', 'replicas of a log differ')
        AS claim,
    if(topic = '__consumer_offsets', list_distinct([min(from_offset), max(to_offset) - 1]), []) AS evidence
FROM mart.log_divergence AS d
WHERE d.kind IN ('copies_differ', 'truncated_records')
GROUP BY cluster, d.kind, topic, partition
UNION ALL BY NAME
SELECT
    'diverged' AS kind,
    cluster,
    '__consumer_offsets' AS topic,
    d.kind AS claim_kind,
    min(first_at) AS occurred_at,
    'unknown' AS cause,
    certainty,
    format('{:,} groups have records in a partition that their ids do not hash to', count(DISTINCT group_id)) AS claim,
    [] AS evidence
FROM mart.log_divergence AS d WHERE d.kind = 'group_in_wrong_partition' GROUP BY cluster, d.kind, certainty
UNION ALL BY NAME
SELECT
    'diverged' AS kind, cluster, '__consumer_offsets' AS topic, 'two_installations' AS claim_kind, 'unknown' AS cause,
    if(bool_or(certainty = 'proven'), 'proven', 'likely') AS certainty,
    'two installations have this cluster id, and answers mix them: read each with --cluster NAME' AS claim,
    [] AS evidence
FROM mart.log_divergence WHERE kind = 'two_installations' GROUP BY cluster
