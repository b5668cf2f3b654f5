-- Claims of all kinds that nothing excludes and nothing bears out, without ordinary hand-overs, and without replays by
-- a commit that rather went past offsets.
SELECT
    'replay' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    kind AS claim_kind,
    possible_from,
    possible_to,
    cause,
    log_partition,
    kind IN ('handed_over', 'reassigned_to_same_member') AS is_unrecorded, from_time AS from_at, to_time AS to_at
FROM mart.replays
ANTI JOIN (FROM mart.skips WHERE certainty <> 'possible') AS s
    USING (cluster, log_partition, log_offset, group_id, topic, partition)
WHERE certainty = 'possible' AND NOT is_ordinary
UNION ALL BY NAME
SELECT
    'skip' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    kind AS claim_kind,
    possible_from,
    possible_to,
    cause,
    log_partition,
    FALSE AS is_unrecorded, from_time AS from_at, to_time AS to_at
FROM mart.skips WHERE certainty = 'possible'
UNION ALL BY NAME
SELECT
    'diverged' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    kind AS claim_kind,
    from_offset AS possible_from,
    to_offset AS possible_to,
    'unknown' AS cause, log_partition, FALSE AS is_unrecorded, first_at AS from_at, first_at AS to_at
FROM mart.log_divergence WHERE certainty = 'possible' AND group_id IS NOT NULL
