-- Offsets that a group read again, where a range is proven or an estimate says how many; the overlap of at most one
-- commit interval at an ordinary rebalance is what at-least-once delivery means. A hand-over for a rebalance has the
-- cause of that rebalance.
SELECT
    'replay' AS kind,
    r.cluster,
    r.group_id,
    r.topic,
    r.partition,
    r.kind AS claim_kind,
    r.from_time,
    r.occurred_at,
    r.possible_from,
    r.possible_to, r.certain_from, r.certain_to, r.estimate_from, r.estimate_to, r.records_possible, r.records_certain,
    r.bytes, r.actor, r.member_id, r.client_id, r.client_host, r.certainty, r.log_partition, r.log_offset, r.evidence,
    if(
        r.cause = 'rebalance' AND b.trigger <> 'unknown' AND r.log_offset <= b.last_log_offset,
        concat('rebalance_', b.trigger), r.cause
    ) AS cause,
    if(r.certainty = 'proven', 're-read {}', 'probably re-read {}') AS claim
FROM (FROM mart.replays WHERE certainty IN ('proven', 'likely') AND NOT is_ordinary) AS r
ASOF LEFT JOIN mart.rebalances AS b
    ON
        b.cluster = r.cluster
        AND b.log_partition = r.log_partition
        AND b.group_id = r.group_id
        AND b.log_offset <= r.log_offset
