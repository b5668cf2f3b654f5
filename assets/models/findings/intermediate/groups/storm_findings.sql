-- Rebalances that go round for ten minutes or more, and apart from them the restarts of a group, five or more, whose
-- members leave with nobody else to be stopped.
SELECT
    if(pattern = 'group_restarts', 'restarts', 'storm') AS kind,
    cluster,
    group_id,
    pattern AS claim_kind,
    from_at AS occurred_at,
    if(pattern = 'same_cause', trigger, 'unknown') AS cause,
    'proven' AS certainty,
    worst_member_id AS member_id,
    worst_client_id AS client_id,
    worst_client_host AS client_host,
    log_partition,
    log_offset,
    list_distinct([log_offset, last_log_offset]) AS evidence,
    format(
        '{} {:,} times in {}', if(kind = 'restarts', 'lost its members and got new ones', 'rebalanced'),
        if(kind = 'restarts', rounds, rebalances), _minutes_in_words(date_diff('minute', from_at, to_at))
    ) AS claim
FROM mart.rebalance_storms
WHERE to_at >= from_at + INTERVAL 10 MINUTE AND (kind = 'storm' OR rounds >= 5)
