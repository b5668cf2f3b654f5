-- What share groups gave up, a finding for each record and cause: the longest range of it is certain. And share
-- partitions of which for ten minutes or more records were delivered and none was accepted, since when nothing was:
-- these rest on the first and the last record of that time.
WITH archived AS (
    SELECT
        cluster, group_id, topic, partition, cause, certainty, archived_at, state_partition, record_offset,
        arg_max({ 'from': from_offset, 'to': to_offset }, to_offset - from_offset) AS longest,
        min(from_offset) AS least, max(to_offset) AS most, sum(to_offset - from_offset) AS offsets, count(*) AS ranges
    FROM mart.share_archived WHERE cause <> 'never_delivered'
    GROUP BY ALL
),
ended AS (
    SELECT cluster, state_partition, group_id, topic_id, partition, max(record_offset) AS ended_at
    FROM core.share_deliveries WHERE delivery_state IN ('acknowledged', 'archived')
    GROUP BY ALL
),
stuck AS (
    SELECT
        d.cluster, d.group_id, any_value(d.topic) AS topic, d.partition, d.state_partition,
        count(DISTINCT d.record_offset) AS times, min(d.written_at) AS stuck_from, max(d.written_at) AS stuck_to,
        min(d.from_offset) AS least, max(d.to_offset) AS most, min(d.record_offset) AS first_record_offset,
        max(d.record_offset) AS record_offset,
        arg_min({ 'from': d.from_offset, 'to': d.to_offset }, (d.from_offset, -d.delivery_count)) AS first
    FROM core.share_deliveries AS d
    LEFT JOIN ended AS e USING (cluster, state_partition, group_id, topic_id, partition)
    WHERE d.delivery_state = 'available' AND d.delivery_count > 0 AND d.record_offset > coalesce(e.ended_at, -1)
    GROUP BY d.cluster, d.group_id, d.topic_id, d.partition, d.state_partition
    HAVING times >= 2 AND stuck_to >= stuck_from + INTERVAL 10 MINUTE
)
SELECT
    'archived' AS kind, cluster, group_id, topic, partition, cause AS claim_kind, archived_at AS from_time,
    archived_at AS occurred_at, cause, certainty, least AS possible_from, most AS possible_to,
    longest.from AS certain_from, longest.to AS certain_to, longest.from AS estimate_from, longest.to AS estimate_to,
    NULL::INTEGER AS log_partition, record_offset AS log_offset, []::BIGINT[] AS evidence, 'gave up {}' AS claim,
    _records_at(cluster, '__share_group_state', state_partition, [record_offset]) AS evidence_elsewhere
FROM archived
UNION ALL BY NAME
SELECT
    'stuck' AS kind, cluster, group_id, topic, partition, 'not_accepted' AS claim_kind, stuck_from AS from_time,
    stuck_from AS occurred_at, 'unknown' AS cause, 'proven' AS certainty, least AS possible_from, most AS possible_to,
    first.from AS certain_from, first.to AS certain_to, first.from AS estimate_from, first.to AS estimate_to,
    NULL::INTEGER AS log_partition, record_offset AS log_offset, []::BIGINT[] AS evidence,
    format('got the same offsets {:,} times in ', times)
    || _minutes_in_words(date_diff('minute', stuck_from, stuck_to)) || ' and accepted none' AS claim,
    _records_at(cluster, '__share_group_state', state_partition, [first_record_offset, record_offset])
        AS evidence_elsewhere
FROM stuck
