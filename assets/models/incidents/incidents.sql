-- The findings of mart.findings as incidents that a person would name, the worst first. All findings of one have one
-- kind. Amounts are sums over the findings: what was read three times counts twice. A sum is NULL where a part of it
-- is, and ends at the largest BIGINT.
WITH grades AS (
    SELECT f.cluster, f.incident_id, max(list_position(['low', 'medium', 'high', 'critical'], s.severity)) AS severity
    FROM incident_totals AS f
    JOIN incident_severities AS s
        ON
            s.kind = f.kind AND coalesce(s.pattern = f.pattern, TRUE) AND coalesce(s.certainty = f.certainty, TRUE)
            AND (
                coalesce(f.estimate_records, f.estimate_sum, 0) >= s.least_records
                OR f.traffic_seconds >= s.least_seconds
            )
    GROUP BY f.cluster, f.incident_id
),
ranks AS (
    SELECT
        f.* REPLACE (
            _as_bigint(certain_sum) AS certain_sum,
            _as_bigint(estimate_sum) AS estimate_sum,
            _as_bigint(possible_sum) AS possible_sum
        ),
        coalesce(g.severity, 1) AS severity
    FROM incident_totals AS f LEFT JOIN grades AS g USING (cluster, incident_id)
),
wordings AS (
    SELECT
        *, first.claim AS claim, first.reason AS reason,
        CASE
            WHEN
                kind = 'stopped' AND (possible_sum IS DISTINCT FROM estimate_sum)
                THEN format('at least {:,}', estimate_sum)
            WHEN certainty = 'likely' THEN format('about {:,}', estimate_sum)
            WHEN certain_sum > 0 AND estimate_sum > certain_sum
                THEN format('at least {:,}, probably about {:,}', certain_sum, estimate_sum)
            ELSE format('{:,}', certain_sum)
        END
        || if(greatest(certain_sum, estimate_sum) = 1, ' offset', ' offsets') AS amount,
        array_to_string(list_transform(topics[:3], LAMBDA t: if(length(t) > 60, left(t, 60) || '...', t)), ', ')
        || if(len(topics) > 3, format(' and {} more topics', len(topics) - 3), '') AS topic_names,
        replace(array_to_string(list_filter(causes, LAMBDA c: c <> 'unknown'), ', '), '_', ' ') AS known_causes
    FROM ranks
),
places_of_incidents AS (
    SELECT
        *,
        CASE
            WHEN
                partitions = 1
                THEN concat(if(contains(claim, '{}'), ' of ', ' in '), topic_names, '-', first_partition)
            WHEN partitions > 1 THEN concat(format(' in {:,} partitions of ', partitions), topic_names)
            WHEN group_id IS NULL THEN concat(' in ', topic_names)
            ELSE ''
        END
        || if(
            kind IN ('storm', 'restarts', 'behind') OR pattern = 'commits_paused',
            if(
                findings > 2,
                format(', and {:,} more such times', findings - 1),
                if(findings = 2, ', and one more such time', '')
            ),
            ''
        )
            AS place
    FROM wordings
),
claims AS (
    SELECT
        * REPLACE (
            if(
                contains(claim, '{}'),
                replace(claim, '{}', concat(amount, place)),
                concat(claim, if(kind = 'expiring', '', place))
            ) AS claim
        )
    FROM places_of_incidents
)
SELECT
    cluster, incident_id,
    row_number() OVER (
        ORDER BY
            severity DESC, kind = 'skip' DESC, certain_sum DESC, estimate_sum DESC, detected_at, cluster, incident_id
    )::INTEGER AS rank,
    ['low', 'medium', 'high', 'critical'][severity] AS severity, kind, pattern,
    concat(
        coalesce(
            strftime(detected_at, '%Y-%m-%d %H:%M:%S UTC: '),
            strftime(from_time, 'time unknown, after %Y-%m-%d %H:%M:%S UTC: '),
            'time unknown: '
        ),
        'group ' || if(length(group_id) > 60, left(group_id, 60) || '...', group_id) || ' ', claim, '; ', reason,
        if(known_causes = '', '', concat(' (', known_causes, ')')), '; ', certainty
    ) AS title,
    group_id, topics, partitions, findings, from_time, detected_at, to_time, certain_sum AS certain_offsets,
    estimate_sum AS estimate_offsets,
    possible_sum AS possible_offsets,
    estimate_records,
    traffic_seconds,
    records_certain,
    records_possible, bytes, causes, claim, reason, actors, members, certainty, log_partition, log_offset, evidence
FROM claims
ORDER BY rank
