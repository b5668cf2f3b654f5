-- Every finding of every kind in one shape, and the incident that each belongs to. A new kind is one more row of `kinds`, and
-- one more SELECT below it when its mart is new. The severity of a finding (4 critical, 3 high, 2 medium, 1 low) depends on
-- its kind and on how sure it is, or on how it came about; findings of one group that belong to one story, less than `apart`
-- from each other in the log, are one incident, and so are all of one story and topic that concern no group.
WITH kinds AS (
    FROM (VALUES
        ('skip', 'never read {}', 'probably never read {}', 'may never have read {}', 4, 3, 2),
        ('replay', 're-read {}', 'probably re-read {}', 'may have re-read {}', 3, 2, 1),
        ('storm', 'rebalanced over and over', 'rebalanced over and over', 'rebalanced over and over', 2, 2, 2),
        ('diverged', 'committed {} that its log lost or never had', 'probably committed {} that its log lost or never had',
         'may have committed {} that its log lost or never had', 4, 3, 2),
        ('stopped', 'has stopped, {} behind', 'has stopped, {} behind', 'has stopped, {} behind', 3, 3, 3),
        ('behind', 'fell behind', 'fell behind', 'fell behind', 1, 1, 1),
        ('expiring', 'loses its offsets soon', 'loses its offsets soon', 'loses its offsets soon', 1, 1, 1),
        ('transaction', 'waits for a transaction', 'may wait for a transaction', 'may wait for a transaction', 3, 2, 2),
        ('cleaner', 'the cleaner is stuck: {}', 'the cleaner is stuck: {}', 'the cleaner is stuck: {}', 2, 2, 2),
        ('produced', 'producers wrote twice', 'producers may have written twice', 'producers may have written twice', 2, 1, 1)
    ) AS k(kind, if_certain, if_inferred, if_bounded, certain_severity, inferred_severity, bounded_severity)
),
stories AS (
    FROM (VALUES
        ('skip', 'set forward', 'set forward', INTERVAL 5 MINUTE, NULL, 'its offset was set forward while it had no members'),
        ('skip', 'sought ahead', 'sought ahead', INTERVAL 5 MINUTE, NULL, 'a member was told to go on farther ahead'),
        ('skip', 'begun at the end', 'begun anew', INTERVAL 5 MINUTE, NULL, 'its offset was gone, and it began at the log end'),
        ('replay', 'begun at the start', 'begun anew', INTERVAL 5 MINUTE, NULL, 'its offset was gone, and it began at the log start'),
        ('skip', 'overtaken', 'overtaken', INTERVAL 5 MINUTE, NULL, 'the log lost what the group had not read yet'),
        ('skip', 'left behind', 'overtaken', INTERVAL 5 MINUTE, NULL, 'the log lost what the group had not read yet, and it is not back'),
        ('replay', 'set back', 'set back', INTERVAL 5 MINUTE, NULL, 'its offset was set back'),
        ('replay', 'handed over', 'rebalancing', INTERVAL 10 MINUTE, NULL, 'another member began at what stood committed'),
        ('replay', 'assigned again', 'rebalancing', INTERVAL 10 MINUTE, NULL, 'a rebalance let the same member begin at what stood committed'),
        ('storm', 'member comes back', 'rebalancing', INTERVAL 10 MINUTE, NULL, 'the same member went and came back over and over'),
        ('storm', 'same cause', 'rebalancing', INTERVAL 10 MINUTE, NULL, 'the same cause came back over and over'),
        ('storm', 'stands still', 'rebalancing', INTERVAL 10 MINUTE, NULL, 'most of the time no member read'),
        ('replay', 'truncated', 'truncated', INTERVAL 5 MINUTE, NULL, 'the log lost its end'),
        ('diverged', 'commit of a lost end', 'truncated', INTERVAL 5 MINUTE, NULL, 'its commit is of an end that the log lost'),
        ('diverged', 'commit ahead of the log', 'truncated', INTERVAL 5 MINUTE, NULL, 'its commit is ahead of a log that went on after it'),
        ('diverged', 'copies differ', 'copies differ', NULL, 3, 'copies of one leader epoch say different things'),
        ('diverged', 'lost end', 'lost end', NULL, 2, 'another leader took over without it'),
        ('diverged', 'two_installations', 'two installations', NULL, 3, 'logs of two installations were read under one cluster id'),
        ('diverged', 'group in another partition', 'misplaced', NULL, 2, 'the number of partitions was changed, or a folder is another cluster''s'),
        ('stopped', 'stopped', 'stopped', INTERVAL 1 HOUR, NULL, 'no commit for more than ten minutes while the log went on'),
        ('stopped', 'stalled', 'stopped', INTERVAL 1 HOUR, NULL, 'it commits, and gets no further'),
        ('stopped', 'not subscribed', 'abandoned', INTERVAL 1 HOUR, 1, 'no member subscribes to the topic any more'),
        ('stopped', 'topic recreated', 'abandoned', INTERVAL 1 HOUR, 1, 'the topic was made anew'),
        ('stopped', 'topic deleted', 'abandoned', INTERVAL 1 HOUR, 1, 'the topic was deleted'),
        ('stopped', 'group removed', 'abandoned', INTERVAL 1 HOUR, 1, 'the group was removed, and the offset not with it'),
        ('stopped', 'stood still', 'stood still', INTERVAL 25 HOUR, 2, 'it committed nothing while the log went on, and then went on'),
        ('stopped', 'stalled for a while', 'stood still', INTERVAL 25 HOUR, 2, 'it committed and got no further, and then went on'),
        ('behind', 'lag grew', 'fell behind', INTERVAL 25 HOUR, NULL, 'its lag grew from commit to commit'),
        ('expiring', 'offsets expire', 'expiring', INTERVAL 25 HOUR, NULL, 'nobody subscribes to the topic, if the broker keeps offsets for a week'),
        ('transaction', 'commits pending', 'open transaction', INTERVAL 1 HOUR, NULL, 'a transaction was not ended in the time that brokers allow'),
        ('transaction', 'readers held back', 'open transaction', NULL, NULL, 'a transaction was not ended in the time that brokers allow'),
        ('cleaner', 'stuck', 'cleaner stuck', NULL, NULL, 'what it may take out has waited for more than a day'),
        ('produced', 'sent twice', 'produced twice', NULL, NULL, 'the same numbers of a producer stand in the log twice'),
        ('produced', 'same bytes', 'produced twice', NULL, NULL, 'a producer that does not number its records sent them again, or an application did'),
        ('produced', 'sequence gap', 'numbers missing', NULL, NULL, 'a producer went on with other numbers than were to come')
    ) AS s(kind, how, story, apart, severity, reason)
),
newest AS (SELECT cluster, max(effective_at) AS last_at FROM mart.offsets_now GROUP BY cluster),
-- A group that is behind and has not committed for ten minutes of what its cluster's log tells. Nobody is called for what is
-- left behind on purpose.
silent AS (
    SELECT cluster, group_id, topic, partition, o.log_partition, o.log_offset, o.effective_at, l.member_id, l.client_id, l.host,
           l.current_offset, l.log_end_offset, if(a.why = 'no members', 'stopped', coalesce(a.why, 'stopped')) AS how
    FROM mart.lag_now AS l
    JOIN mart.offsets_now AS o USING (cluster, group_id, topic, partition)
    JOIN newest USING (cluster)
    LEFT JOIN mart.abandoned AS a USING (cluster, group_id, topic, partition)
    WHERE l.lag > 0 AND o.effective_at < last_at - INTERVAL 10 MINUTE
),
-- For how long one of Burrow's rules held of a group at every instant of the grid; ten minutes of it are told.
judged AS (
    SELECT *, lag(worst_rule) OVER own IS DISTINCT FROM worst_rule AS begins, lead(as_of) OVER own IS NULL AS is_last
    FROM mart.group_status
    WINDOW own AS (PARTITION BY cluster, group_id ORDER BY as_of)
),
spans AS (
    SELECT cluster, group_id, worst_rule, span, min(as_of) AS from_at, max(as_of) AS to_at, bool_or(is_last) AS is_last,
           arg_min(worst_topic, as_of) AS topic, arg_min(worst_partition, as_of) AS partition, arg_min("lag", as_of) AS lag_before,
           arg_max("lag", as_of) AS lag_after, arg_min(log_partition, as_of) AS log_partition,
           arg_min(log_offsets, as_of) AS evidence, date_diff('minute', from_at, to_at) AS minutes
    FROM (SELECT *, count_if(begins) OVER (PARTITION BY cluster, group_id ORDER BY as_of) AS span FROM judged)
    WHERE worst_rule IN ('commits stopped', 'no progress', 'lag never less')
    GROUP BY cluster, group_id, worst_rule, span HAVING to_at >= from_at + INTERVAL 10 MINUTE
),
stood AS (
    SELECT *, CASE worst_rule WHEN 'commits stopped' THEN 'stood still' WHEN 'lag never less' THEN 'lag grew'
                              ELSE if(is_last, 'stalled', 'stalled for a while') END AS how,
           CASE worst_rule WHEN 'commits stopped' THEN format('committed nothing for {:,} minutes', minutes)
                           WHEN 'no progress' THEN format('committed the same offset for {:,} minutes', minutes)
                           ELSE format('fell behind for {:,} minutes', minutes) END
               || coalesce(format(', from {:,} to {:,} offsets behind', lag_before, lag_after), '') AS said
    FROM spans
    WHERE CASE worst_rule WHEN 'commits stopped' THEN NOT is_last WHEN 'lag never less' THEN lag_after > lag_before ELSE TRUE END
),
-- Brokers end a transaction that is older than transaction.max.timeout.ms, 15 minutes unless somebody said otherwise.
hanging AS (
    SELECT *, if(is_whole, 'certain', 'inferred') AS certainty, age_ms // 60000 AS minutes
    FROM mart.open_transactions WHERE age_ms > 900000
),
-- A hand-over for a rebalance has the cause of that rebalance.
replayed AS (
    SELECT r.* REPLACE (
               if(r.cause = 'rebalance' AND b.trigger <> 'unknown' AND r.log_offset <= b.last_log_offset,
                  concat('rebalance: ', b.trigger), r.cause) AS cause
           )
    FROM mart.replays AS r
    ASOF LEFT JOIN mart.rebalances AS b
        ON b.cluster = r.cluster AND b.log_partition = r.log_partition AND b.group_id = r.group_id AND b.log_offset <= r.log_offset
),
-- Where probably nothing was read again or passed over, as at most hand-overs, there is nothing to tell.
found AS (
    SELECT 'skip' AS kind, cluster, group_id, topic, partition, how, from_time, "at", possible_from, possible_to, certain_from,
           certain_to, estimate_from, estimate_to, records_possible, records_certain, bytes, cause, "by", member_id, client_id,
           host, certainty, log_partition, log_offset, evidence
    FROM mart.skips
    WHERE certain_from IS NOT NULL OR (estimate_to > estimate_from) IS DISTINCT FROM FALSE
    UNION ALL BY NAME
    SELECT 'replay' AS kind, cluster, group_id, topic, partition, how, from_time, "at", possible_from, possible_to, certain_from,
           certain_to, estimate_from, estimate_to, records_possible, records_certain, bytes, cause, "by", member_id, client_id,
           host, certainty, log_partition, log_offset, evidence
    FROM replayed
    WHERE certain_from IS NOT NULL OR (estimate_to > estimate_from) IS DISTINCT FROM FALSE
    UNION ALL BY NAME
    SELECT 'storm' AS kind, cluster, group_id, pattern AS how, from_at AS "at", trigger AS cause, 'certain' AS certainty,
           worst_member_id AS member_id, worst_client_id AS client_id, worst_client_host AS host, log_partition, log_offset,
           format('rebalanced {} times in {} s', rebalances, round(date_diff('millisecond', from_at, to_at) / 1000)::BIGINT)
               AS said,
           list_distinct([log_offset, last_log_offset]) AS evidence
    FROM mart.rebalance_storms
    UNION ALL BY NAME
    SELECT 'diverged' AS kind, cluster, group_id, topic, partition, kind AS how, first_at AS "at", from_offset AS possible_from,
           to_offset AS possible_to, if(certainty = 'certain', from_offset, NULL) AS certain_from,
           if(certainty = 'certain', to_offset, NULL) AS certain_to, 'truncation' AS cause, certainty, log_partition,
           log_offset, list_distinct([log_offset, last_log_offset]) AS evidence
    FROM mart.diverged WHERE kind IN ('commit of a lost end', 'commit ahead of the log')
    UNION ALL BY NAME
    SELECT 'stopped' AS kind, cluster, group_id, topic, partition, how, effective_at AS "at",
           current_offset AS possible_from, log_end_offset AS possible_to, current_offset AS certain_from,
           log_end_offset AS certain_to, 'unknown' AS cause, 'certain' AS certainty, member_id, client_id, host, log_partition,
           log_offset, [log_offset] AS evidence
    FROM silent
    UNION ALL BY NAME
    SELECT if(how = 'lag grew', 'behind', 'stopped') AS kind, cluster, group_id, topic, partition, how, from_at AS from_time,
           from_at AS "at", 'unknown' AS cause, 'certain' AS certainty, log_partition, evidence[-1] AS log_offset, said, evidence
    FROM stood
    UNION ALL BY NAME
    SELECT 'diverged' AS kind, cluster, topic, partition, d.kind AS how, min(first_at) AS "at", min(from_offset) AS possible_from,
           max(to_offset) AS possible_to, 'unknown' AS cause, 'certain' AS certainty,
           if(topic = '__consumer_offsets', partition, NULL) AS log_partition,
           if(topic = '__consumer_offsets', min(from_offset), NULL) AS log_offset,
           if(d.kind = 'lost end', 'a copy has {} that its log lost', 'copies of a log differ in {}') AS said,
           if(topic = '__consumer_offsets', list_distinct([min(from_offset), max(to_offset) - 1]), []) AS evidence
    FROM mart.diverged AS d WHERE d.kind IN ('copies differ', 'lost end') GROUP BY cluster, d.kind, topic, partition
    UNION ALL BY NAME
    SELECT 'diverged' AS kind, cluster, '__consumer_offsets' AS topic, d.kind AS how, min(first_at) AS "at", 'unknown' AS cause,
           certainty, format('{:,} groups have records in a partition that is not theirs', count(DISTINCT group_id)) AS said,
           [] AS evidence
    FROM mart.diverged AS d WHERE d.kind = 'group in another partition' GROUP BY cluster, d.kind, certainty
    UNION ALL BY NAME
    SELECT 'diverged' AS kind, cluster, '__consumer_offsets' AS topic, 'two_installations' AS how, min(first_at) AS "at",
           'unknown' AS cause, if(bool_or(certainty = 'proven'), 'certain', 'inferred') AS certainty,
           'two installations have this cluster id, and answers mix them: read each with --cluster NAME' AS said, [] AS evidence
    FROM mart.diverged WHERE kind = 'two_installations' GROUP BY cluster
    UNION ALL BY NAME
    SELECT 'expiring' AS kind, cluster, group_id, topic, partition, 'offsets expire' AS how, f.counted_from AS from_time,
           last_at AS "at", 'expiry' AS cause, 'inferred' AS certainty, log_partition, log_offset,
           strftime(min(expires_at) OVER (PARTITION BY cluster, group_id), 'loses its offsets from %Y-%m-%d %H:%M UTC on') AS said,
           [log_offset] AS evidence
    FROM mart.expiry_forecast AS f JOIN newest USING (cluster)
    WHERE expires_at < last_at + INTERVAL 1 DAY AND NOT is_overdue AND (earliest_offsets > 0 OR latest_offsets > 0)
    UNION ALL BY NAME
    SELECT 'transaction' AS kind, cluster, unnest(groups) AS group_id, 'commits pending' AS how, began_at AS "at",
           'unknown' AS cause, certainty, partition AS log_partition, first_offset AS log_offset,
           format('has commits that don''t count yet, in a transaction that was open for {:,} minutes', minutes) AS said,
           list_distinct([first_offset, coalesce(last_offset, first_offset)]) AS evidence
    FROM hanging WHERE len(groups) > 0
    UNION ALL BY NAME
    SELECT 'transaction' AS kind, cluster, topic, partition, 'readers held back' AS how, began_at AS "at",
           last_stable_offset AS possible_from, log_end_offset AS possible_to, 'unknown' AS cause, certainty,
           'a transaction that nobody ended hides {} from who reads what is committed' AS said, [] AS evidence
    FROM hanging WHERE topic <> '__consumer_offsets' AND blocked_offsets IS NOT NULL
    UNION ALL BY NAME
    SELECT 'cleaner' AS kind, cluster, '__consumer_offsets' AS topic, log_partition AS partition, 'stuck' AS how,
           waiting_since AS "at", waiting_from AS possible_from, cleanable_until AS possible_to, 'unknown' AS cause,
           'inferred' AS certainty, log_partition, waiting_from AS log_offset, 'the cleaner is stuck before {}' AS said,
           [waiting_from] AS evidence
    FROM mart.offsets_topic_cleaning WHERE verdict = 'stuck'
    UNION ALL BY NAME
    SELECT 'produced' AS kind, cluster, topic, p.kind AS how, min(first_record_at) AS "at", 'unknown' AS cause,
           if(bool_and(certainty = 'certain'), 'certain', 'inferred') AS certainty,
           if(p.kind = 'sequence gap', format('numbers of producers are missing in {:,} places', count(*)),
              format('{:,} records of producers came in twice', sum(record_count)::BIGINT)) AS said,
           [] AS evidence
    FROM mart.producer_duplicates AS p GROUP BY cluster, p.kind, topic
),
told AS (
    SELECT f.*, coalesce(s.story, f.how) AS story, coalesce(s.apart, INTERVAL 5 MINUTE) AS apart, coalesce(s.reason, f.how) AS reason,
           coalesce(f.said, CASE f.certainty WHEN 'certain' THEN if_certain WHEN 'inferred' THEN if_inferred
                                              ELSE if_bounded END) AS claim,
           coalesce(s.severity, CASE f.certainty WHEN 'certain' THEN certain_severity WHEN 'inferred' THEN inferred_severity
                                                  ELSE bounded_severity END) AS severity,
           if(f.group_id IS NULL, f.topic, f.log_partition::VARCHAR) AS place
    FROM found AS f
    JOIN kinds AS k USING (kind)
    LEFT JOIN stories AS s ON s.kind = f.kind AND s.how = f.how
),
begun AS (
    SELECT *, coalesce(group_id IS NOT NULL AND "at" - lag("at") OVER log > apart AND log_offset > lag(log_offset) OVER log, FALSE) AS begins
    FROM told
    WINDOW log AS (PARTITION BY cluster, place, group_id, story ORDER BY log_offset, topic, partition)
),
folded AS (
    SELECT *, count_if(begins) OVER (PARTITION BY cluster, place, group_id, story ORDER BY log_offset, topic, partition) AS nth
    FROM begun
)
SELECT cluster,
       left(md5(to_json([
           cluster, group_id, story, place,
           if(group_id IS NULL, NULL, (min(log_offset) OVER (PARTITION BY cluster, place, group_id, story, nth))::VARCHAR)
       ])::VARCHAR), 12) AS incident_id,
       group_id, kind, story, how, topic, partition, claim, reason, severity, possible_from, possible_to, certain_from, certain_to,
       estimate_from, estimate_to, records_possible, records_certain, bytes, from_time, "at", cause, "by", member_id, client_id, host,
       certainty, log_partition, log_offset, evidence
FROM folded
ORDER BY ALL
