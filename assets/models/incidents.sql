-- The findings of mart.findings as incidents that a person would name, the worst first. Amounts are sums over the findings:
-- what was read three times counts twice. A sum is NULL where a part of it is.
WITH folded AS (
    SELECT cluster, incident_id, any_value(group_id) AS group_id, arg_max(kind, severity) AS kind, any_value(story) AS story,
           max(severity) AS severity, arg_max(certainty, severity) AS certainty, arg_max(claim, severity) AS claim,
           arg_max(reason, severity) AS reason,
           min(coalesce(from_time, "at")) AS from_time, min("at") AS detected_at, max("at") AS to_time,
           list_sort(list_distinct(list(topic))) AS topics,
           count(DISTINCT {'topic': topic, 'partition': partition}) FILTER (partition IS NOT NULL) AS partitions,
           min(partition) AS first_partition, count(*) AS findings,
           saturated(coalesce(sum(minus(certain_to, certain_from)), 0)) AS certain_offsets,
           saturated(sum(coalesce(minus(certain_to, certain_from), minus(estimate_to, estimate_from), minus(possible_to, possible_from)))) AS estimate_offsets,
           if(count(possible_to) = count(possible_from), saturated(sum(minus(possible_to, possible_from))), NULL) AS possible_offsets,
           if(count(records_possible) = count(possible_from), saturated(sum(records_possible)), NULL) AS records_possible,
           if(count(records_certain) = count(certain_to), saturated(sum(records_certain)), NULL) AS records_certain,
           if(count(bytes) = count(possible_from), saturated(sum(bytes)), NULL) AS bytes,
           list_sort(list_distinct(list(cause))) AS causes,
           list_sort(list_distinct(list("by"))) AS "by", list_sort(list_distinct(list(member_id))) AS members,
           any_value(log_partition) AS log_partition, min(log_offset) AS log_offset,
           list_sort(list_distinct(flatten(list(evidence)))) AS evidence
    FROM mart.findings
    GROUP BY cluster, incident_id
),
worded AS (
    SELECT *,
           CASE WHEN group_id IS NULL AND certain_offsets = 0 THEN format('up to {:,} offsets', possible_offsets)
                WHEN certainty = 'certain' AND possible_offsets = certain_offsets THEN format('{:,} offsets', certain_offsets)
                WHEN certainty = 'certain' AND possible_offsets > certain_offsets
                    THEN format('{:,} to {:,} offsets', certain_offsets, possible_offsets)
                WHEN certainty = 'certain' THEN format('at least {:,} offsets', certain_offsets)
                WHEN certainty = 'inferred' AND possible_offsets > estimate_offsets
                    THEN format('about {:,} offsets (at most {:,})', estimate_offsets, possible_offsets)
                WHEN certainty = 'inferred' THEN format('about {:,} offsets', estimate_offsets)
                WHEN possible_offsets > estimate_offsets
                    THEN format('up to {:,} offsets (probably {:,})', possible_offsets, estimate_offsets)
                WHEN possible_offsets IS NOT NULL THEN format('up to {:,} offsets', possible_offsets)
                ELSE 'an unknown number of offsets' END AS amount,
           array_to_string(list_transform(topics[:3], lambda t: if(length(t) > 60, left(t, 60) || '...', t)), ', ')
               || if(len(topics) > 3, format(' and {} more topics', len(topics) - 3), '') AS topic_names,
           array_to_string(list_filter(causes, lambda c: c <> 'unknown'), ', ') AS known_causes
    FROM folded
),
placed AS (
    SELECT *, CASE WHEN partitions = 1 THEN concat(' of ', topic_names, '-', first_partition)
                   WHEN partitions > 1 THEN concat(format(' in {:,} partitions of ', partitions), topic_names)
                   WHEN group_id IS NULL THEN concat(' in ', topic_names)
                   ELSE '' END AS place
    FROM worded
),
told AS (
    SELECT * REPLACE (
        if(group_id IS NULL AND NOT contains(claim, '{}'), concat(claim, place), replace(claim, '{}', concat(amount, place))) AS claim
    )
    FROM placed
)
SELECT cluster, incident_id,
       row_number() OVER (
           ORDER BY severity DESC, certain_offsets DESC, estimate_offsets DESC, possible_offsets DESC, detected_at, cluster, incident_id
       )::INTEGER AS rank,
       ['low', 'medium', 'high', 'critical'][severity] AS severity, kind, story,
       concat(
           strftime(detected_at, '%Y-%m-%d %H:%M:%S UTC: '),
           'group ' || if(length(group_id) > 60, left(group_id, 60) || '...', group_id) || ' ', claim, '; ', reason,
           if(known_causes = '', '', concat(' (', known_causes, ')')), '; ', certainty
       ) AS title,
       group_id, topics, partitions, findings, from_time, detected_at, to_time, certain_offsets, estimate_offsets,
       possible_offsets, records_certain, records_possible, bytes, causes, claim, reason, "by", members, certainty, log_partition, log_offset, evidence
FROM told
ORDER BY rank
