-- Every finding of every kind in one shape, and the incident that each belongs to. A new kind is one more row of `kinds`, and
-- one more SELECT below it when its mart is new. The severity of a finding (4 critical, 3 high, 2 medium, 1 low) depends on
-- its kind and on how sure it is; findings of one group that belong to one story, less than `apart` from each other in the
-- log, are one incident.
WITH kinds AS (
    FROM (VALUES
        ('skip', 'never read {}', 'probably never read {}', 'may never have read {}', 4, 3, 2),
        ('replay', 're-read {}', 'probably re-read {}', 'may have re-read {}', 3, 2, 1),
        ('storm', 'rebalanced over and over', 'rebalanced over and over', 'rebalanced over and over', 2, 2, 2),
        ('diverged', 'committed {} that its log lost or never had', 'probably committed {} that its log lost or never had',
         'may have committed {} that its log lost or never had', 4, 3, 2),
        ('stopped', 'has stopped, {} behind', 'has stopped, {} behind', 'has stopped, {} behind', 3, 3, 3)
    ) AS k(kind, if_certain, if_inferred, if_bounded, certain_severity, inferred_severity, bounded_severity)
),
stories AS (
    FROM (VALUES
        ('skip', 'set forward', 'set forward', INTERVAL 5 MINUTE, 'its offset was set forward while it had no members'),
        ('skip', 'sought ahead', 'sought ahead', INTERVAL 5 MINUTE, 'a member was told to go on farther ahead'),
        ('skip', 'begun at the end', 'begun anew', INTERVAL 5 MINUTE, 'its offset was gone, and it began at the log end'),
        ('replay', 'begun at the start', 'begun anew', INTERVAL 5 MINUTE, 'its offset was gone, and it began at the log start'),
        ('skip', 'overtaken', 'overtaken', INTERVAL 5 MINUTE, 'the log lost what the group had not read yet'),
        ('skip', 'left behind', 'overtaken', INTERVAL 5 MINUTE, 'the log lost what the group had not read yet, and it is not back'),
        ('replay', 'set back', 'set back', INTERVAL 5 MINUTE, 'its offset was set back'),
        ('replay', 'handed over', 'rebalancing', INTERVAL 10 MINUTE, 'another member began at what stood committed'),
        ('replay', 'assigned again', 'rebalancing', INTERVAL 10 MINUTE, 'a rebalance let the same member begin at what stood committed'),
        ('storm', 'storm', 'rebalancing', INTERVAL 10 MINUTE, 'each rebalance soon after the one before'),
        ('replay', 'truncated', 'truncated', INTERVAL 5 MINUTE, 'the log lost its end'),
        ('diverged', 'commit of a lost end', 'truncated', INTERVAL 5 MINUTE, 'its commit is of an end that the log lost'),
        ('diverged', 'commit ahead of the log', 'truncated', INTERVAL 5 MINUTE, 'its commit is ahead of a log that went on after it'),
        ('stopped', 'stopped', 'stopped', INTERVAL 1 HOUR, 'no commit for more than ten minutes while the log went on')
    ) AS s(kind, how, story, apart, reason)
),
-- A group that is behind and has not committed for ten minutes of what its cluster's log tells.
silent AS (
    SELECT cluster, group_id, topic, partition, o.log_partition, o.log_offset, o.effective_at, l.member_id, l.client_id, l.host,
           l.current_offset, l.log_end_offset
    FROM mart.lag_now AS l
    JOIN mart.offsets_now AS o USING (cluster, group_id, topic, partition)
    JOIN (SELECT cluster, max(effective_at) AS last_at FROM mart.offsets_now GROUP BY cluster) AS c USING (cluster)
    WHERE l.lag > 0 AND o.effective_at < c.last_at - INTERVAL 10 MINUTE
),
-- Where probably nothing was read again, as at most hand-overs, there is nothing to tell.
found AS (
    SELECT 'skip' AS kind, cluster, group_id, topic, partition, how, from_time, "at", outer_from, outer_to, certain_from,
           certain_to, estimate_from, estimate_to, records_outer, records_certain, bytes, cause, "by", member_id, client_id,
           host, confidence, log_partition, log_offset, evidence
    FROM mart.skips
    UNION ALL BY NAME
    SELECT 'replay' AS kind, cluster, group_id, topic, partition, how, from_time, "at", outer_from, outer_to, certain_from,
           certain_to, estimate_from, estimate_to, records_outer, records_certain, bytes, cause, "by", member_id, client_id,
           host, confidence, log_partition, log_offset, evidence
    FROM mart.replays
    WHERE certain_from IS NOT NULL OR (estimate_to > estimate_from) IS DISTINCT FROM FALSE
    UNION ALL BY NAME
    SELECT 'storm' AS kind, cluster, group_id, 'storm' AS how, from_at AS "at", trigger AS cause, 'certain' AS confidence,
           worst_member_id AS member_id, worst_client_id AS client_id, worst_client_host AS host, log_partition, log_offset,
           format('rebalanced {} times in {} s', rebalances, round(date_diff('millisecond', from_at, to_at) / 1000)::BIGINT)
               AS said,
           list_distinct([log_offset, last_log_offset]) AS evidence
    FROM mart.rebalance_storms
    UNION ALL BY NAME
    SELECT 'diverged' AS kind, cluster, group_id, topic, partition, kind AS how, first_at AS "at", from_offset AS outer_from,
           to_offset AS outer_to, if(confidence = 'certain', from_offset, NULL) AS certain_from,
           if(confidence = 'certain', to_offset, NULL) AS certain_to, 'truncation' AS cause, confidence, log_partition,
           log_offset, list_distinct([log_offset, last_log_offset]) AS evidence
    FROM mart.diverged WHERE kind IN ('commit of a lost end', 'commit ahead of the log')
    UNION ALL BY NAME
    SELECT 'stopped' AS kind, cluster, group_id, topic, partition, 'stopped' AS how, effective_at AS "at",
           current_offset AS outer_from, log_end_offset AS outer_to, current_offset AS certain_from,
           log_end_offset AS certain_to, 'unknown' AS cause, 'certain' AS confidence, member_id, client_id, host, log_partition,
           log_offset, [log_offset] AS evidence
    FROM silent
),
told AS (
    SELECT f.*, coalesce(s.story, f.how) AS story, coalesce(s.apart, INTERVAL 5 MINUTE) AS apart, coalesce(s.reason, f.how) AS reason,
           coalesce(f.said, CASE f.confidence WHEN 'certain' THEN if_certain WHEN 'inferred' THEN if_inferred
                                              ELSE if_bounded END) AS claim,
           CASE f.confidence WHEN 'certain' THEN certain_severity WHEN 'inferred' THEN inferred_severity
                             ELSE bounded_severity END AS severity
    FROM found AS f
    JOIN kinds AS k USING (kind)
    LEFT JOIN stories AS s ON (s.kind, s.how) = (f.kind, f.how)
),
begun AS (
    SELECT *, coalesce("at" - lag("at") OVER log > apart AND log_offset > lag(log_offset) OVER log, FALSE) AS begins
    FROM told
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id, story ORDER BY log_offset, topic, partition)
),
folded AS (
    SELECT *, count_if(begins) OVER (
        PARTITION BY cluster, log_partition, group_id, story ORDER BY log_offset, topic, partition
    ) AS nth
    FROM begun
)
SELECT cluster,
       left(md5(to_json([
           cluster, group_id, story, log_partition::VARCHAR,
           (min(log_offset) OVER (PARTITION BY cluster, log_partition, group_id, story, nth))::VARCHAR
       ])::VARCHAR), 12) AS incident_id,
       group_id, kind, story, how, topic, partition, claim, reason, severity, outer_from, outer_to, certain_from, certain_to,
       estimate_from, estimate_to, records_outer, records_certain, bytes, from_time, "at", cause, "by", member_id, client_id, host,
       confidence, log_partition, log_offset, evidence
FROM folded
ORDER BY ALL
