-- Offsets that a group passed over, where a range is proven or an estimate says how many.
SELECT
    'skip' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    kind AS claim_kind,
    from_time,
    occurred_at,
    possible_from,
    possible_to,
    certain_from,
    certain_to,
    estimate_from,
    estimate_to,
    records_possible,
    records_certain,
    bytes,
    cause,
    actor,
    member_id,
    client_id,
    client_host, certainty, log_partition, log_offset, evidence,
    if(certainty = 'proven', 'never read {}', 'probably never read {}') AS claim
FROM mart.skips
WHERE certainty IN ('proven', 'likely')
