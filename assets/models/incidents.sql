-- The findings of mart.findings as incidents that a person would name, the worst first. All findings of one have one kind.
-- Amounts are sums over the findings: what was read three times counts twice. A sum is NULL where a part of it is, and ends at
-- the largest BIGINT.
WITH folded AS (
    SELECT cluster, incident_id, any_value(group_id) AS group_id, any_value(kind) AS kind, any_value(pattern) AS pattern,
           if(bool_or(certainty = 'proven'), 'proven', 'likely') AS certainty,
           first({'claim': claim, 'reason': reason} ORDER BY certainty = 'proven' DESC, log_offset, topic, partition, claim) AS first,
           min(coalesce(from_time, occurred_at)) AS from_time, min(occurred_at) AS detected_at, max(occurred_at) AS to_time,
           list_sort(list_distinct(list(topic))) AS topics,
           count(DISTINCT {'topic': topic, 'partition': partition}) FILTER (partition IS NOT NULL) AS partitions,
           min(partition) AS first_partition, count(*) AS findings,
           coalesce(sum(minus(certain_to, certain_from)), 0) AS certain_sum,
           sum(greatest(minus(certain_to, certain_from), minus(estimate_to, estimate_from))) AS estimate_sum,
           if(count(possible_to) = count(possible_from), sum(minus(possible_to, possible_from)), NULL) AS possible_sum,
           if(count(estimate_records) = count(*), saturated(sum(estimate_records)), NULL) AS estimate_records,
           max(traffic_seconds) AS traffic_seconds,
           if(count(records_possible) = count(possible_from), saturated(sum(records_possible)), NULL) AS records_possible,
           if(count(records_certain) = count(certain_to), saturated(sum(records_certain)), NULL) AS records_certain,
           if(count(bytes) = count(possible_from), saturated(sum(bytes)), NULL) AS bytes,
           list_sort(list_distinct(list(cause))) AS causes,
           list_sort(list_distinct(list(actor))) AS actors, list_sort(list_distinct(list(member_id))) AS members,
           any_value(log_partition) AS log_partition, min(log_offset) AS log_offset,
           list_sort(list_distinct(flatten(list(evidence)))) AS evidence
    FROM mart.findings
    GROUP BY cluster, incident_id
),
graded AS (
    SELECT f.cluster, f.incident_id, max(list_position(['low', 'medium', 'high', 'critical'], s.severity)) AS severity
    FROM folded AS f
    JOIN severities AS s
        ON s.kind = f.kind AND coalesce(s.pattern = f.pattern, TRUE) AND coalesce(s.certainty = f.certainty, TRUE)
        AND (coalesce(f.estimate_records, f.estimate_sum, 0) >= s.least_records OR f.traffic_seconds >= s.least_seconds)
    GROUP BY f.cluster, f.incident_id
),
ranked AS (
    SELECT f.* REPLACE (
               saturated(certain_sum) AS certain_sum,
               saturated(estimate_sum) AS estimate_sum,
               saturated(possible_sum) AS possible_sum
           ),
           coalesce(g.severity, 1) AS severity
    FROM folded AS f LEFT JOIN graded AS g USING (cluster, incident_id)
),
worded AS (
    SELECT *, first.claim AS claim, first.reason AS reason,
           CASE WHEN kind = 'stopped' AND possible_sum IS DISTINCT FROM estimate_sum THEN format('at least {:,}', estimate_sum)
                WHEN certainty = 'likely' THEN format('about {:,}', estimate_sum)
                WHEN certain_sum > 0 AND estimate_sum > certain_sum
                    THEN format('at least {:,}, probably about {:,}', certain_sum, estimate_sum)
                ELSE format('{:,}', certain_sum) END || if(greatest(certain_sum, estimate_sum) = 1, ' offset', ' offsets') AS amount,
           array_to_string(list_transform(topics[:3], lambda t: if(length(t) > 60, left(t, 60) || '...', t)), ', ')
               || if(len(topics) > 3, format(' and {} more topics', len(topics) - 3), '') AS topic_names,
           replace(array_to_string(list_filter(causes, lambda c: c <> 'unknown'), ', '), '_', ' ') AS known_causes
    FROM ranked
),
placed AS (
    SELECT *, CASE WHEN partitions = 1 THEN concat(if(contains(claim, '{}'), ' of ', ' in '), topic_names, '-', first_partition)
                   WHEN partitions > 1 THEN concat(format(' in {:,} partitions of ', partitions), topic_names)
                   WHEN group_id IS NULL THEN concat(' in ', topic_names)
                   ELSE '' END
                   || if(kind IN ('storm', 'restarts', 'behind') OR pattern = 'commits_paused',
                         if(findings > 2, format(', and {:,} more such times', findings - 1), if(findings = 2, ', and one more such time', '')), '')
                   AS place
    FROM worded
),
told AS (
    SELECT * REPLACE (
        if(contains(claim, '{}'), replace(claim, '{}', concat(amount, place)), concat(claim, if(kind = 'expiring', '', place))) AS claim
    )
    FROM placed
)
SELECT cluster, incident_id,
       row_number() OVER (
           ORDER BY severity DESC, kind = 'skip' DESC, certain_sum DESC, estimate_sum DESC, detected_at, cluster, incident_id
       )::INTEGER AS rank,
       ['low', 'medium', 'high', 'critical'][severity] AS severity, kind, pattern,
       concat(
           coalesce(strftime(detected_at, '%Y-%m-%d %H:%M:%S UTC: '), strftime(from_time, 'time unknown, after %Y-%m-%d %H:%M:%S UTC: '),
                    'time unknown: '),
           'group ' || if(length(group_id) > 60, left(group_id, 60) || '...', group_id) || ' ', claim, '; ', reason,
           if(known_causes = '', '', concat(' (', known_causes, ')')), '; ', certainty
       ) AS title,
       group_id, topics, partitions, findings, from_time, detected_at, to_time, certain_sum AS certain_offsets,
       estimate_sum AS estimate_offsets, possible_sum AS possible_offsets, estimate_records, traffic_seconds, records_certain,
       records_possible, bytes, causes, claim, reason, actors, members, certainty, log_partition, log_offset, evidence
FROM told
ORDER BY rank
