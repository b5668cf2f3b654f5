-- What the findings of each incident come to.
SELECT
    cluster, incident_id, any_value(group_id) AS group_id, any_value(kind) AS kind, any_value(pattern) AS pattern,
    if(bool_or(certainty = 'proven'), 'proven', 'likely') AS certainty,
    first({ 'claim': claim, 'reason': reason } ORDER BY certainty = 'proven' DESC, log_offset, topic, partition, claim)
        AS first,
    min(coalesce(from_time, occurred_at)) AS from_time, min(occurred_at) AS detected_at, max(occurred_at) AS to_time,
    list_sort(list_distinct(list(topic))) AS topics,
    count(DISTINCT { 'topic': topic, 'partition': partition }) FILTER (partition IS NOT NULL) AS partitions,
    min(partition) AS first_partition, count(*) AS findings,
    coalesce(sum(_minus(certain_to, certain_from)), 0) AS certain_sum,
    sum(greatest(_minus(certain_to, certain_from), _minus(estimate_to, estimate_from))) AS estimate_sum,
    if(count(possible_to) = count(possible_from), sum(_minus(possible_to, possible_from)), NULL) AS possible_sum,
    if(count(estimate_records) = count(*), _as_bigint(sum(estimate_records)), NULL) AS estimate_records,
    max(traffic_seconds) AS traffic_seconds,
    if(count(records_possible) = count(possible_from), _as_bigint(sum(records_possible)), NULL) AS records_possible,
    if(count(records_certain) = count(certain_to), _as_bigint(sum(records_certain)), NULL) AS records_certain,
    if(count(bytes) = count(possible_from), _as_bigint(sum(bytes)), NULL) AS bytes,
    list_sort(list_distinct(list(cause))) AS causes,
    list_sort(list_distinct(list(actor))) AS actors, list_sort(list_distinct(list(member_id))) AS members,
    any_value(log_partition) AS log_partition, min(log_offset) AS log_offset,
    list_sort(list_distinct(flatten(list(evidence)))) AS evidence
FROM mart.findings
GROUP BY cluster, incident_id
