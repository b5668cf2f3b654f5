-- What each rebalance changed, how long it stopped the group, and what caused it.
SELECT
    cluster, group_id, group_type, log_partition, log_offset, last_log_offset,
    started_at, if(begun_at IS NULL, 'record', 'text_log') AS started_source, joined_at, ended_at,
    CASE WHEN ended_at >= started_at THEN epoch_ms(ended_at) - epoch_ms(started_at) END AS duration_ms,
    generation_before, generation_after, generations, state_after, protocol,
    if(is_before_known, coalesce(members_before, 0), NULL)::INTEGER AS members_before, members_after,
    joined AS members_joined, gone AS members_left, replaced AS members_replaced,
    if(is_comparable, moved, NULL)::INTEGER AS partitions_moved,
    if(is_comparable, kept, NULL)::INTEGER AS partitions_kept,
    if(is_comparable, taken_up, NULL)::INTEGER AS partitions_gained,
    if(is_comparable, lost, NULL)::INTEGER AS partitions_lost,
    stops_all,
    CASE
        WHEN NOT is_comparable OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
        WHEN stops_all THEN kept + moved ELSE paused
    END::INTEGER AS partitions_paused,
    CASE
        WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
        WHEN stops_all AND kept + moved > 0
            THEN
                if(
                    begun_at IS NULL OR begun_at > ended_at,
                    NULL,
                    greatest(epoch_ms(ended_at) - epoch_ms(begun_at), moved_pause_ms)
                )
        WHEN handed = 0 THEN 0 ELSE moved_pause_ms
    END AS pause_ms,
    CASE
        WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
        WHEN stops_all AND kept > 0
            THEN if(joined_at > ended_at, NULL, greatest(epoch_ms(ended_at) - epoch_ms(joined_at), moved_least_ms))
        WHEN handed = 0 THEN 0 ELSE moved_least_ms
    END AS pause_lower_ms,
    CASE
        WHEN NOT is_comparable OR ended_at IS NULL OR stops_all IS NULL AND state_after <> 'Empty' THEN NULL
        WHEN stops_all AND kept + moved > 0
            THEN if(
                begun_at IS NULL OR begun_at > ended_at OR handed > 0 AND moved_total_ms IS NULL, NULL,
                (kept + moved - handed) * (epoch_ms(ended_at) - epoch_ms(begun_at)) + coalesce(moved_total_ms, 0)
            )
        WHEN handed = 0 THEN 0 ELSE moved_total_ms
    END::BIGINT AS pause_total_ms,
    coalesce(trigger, 'unknown') AS trigger,
    CASE
        WHEN trigger IS NULL THEN NULL
        WHEN logged_trigger IS NOT NULL OR is_logged AND trigger IN ('leave', 'expired') THEN 'text_log' ELSE 'record'
    END
        AS trigger_source,
    CASE
        WHEN trigger IS NULL THEN NULL
        WHEN logged_trigger IS NOT NULL THEN if(coalesce(is_confirmed, FALSE), 'proven', 'likely')
        WHEN trigger IN ('leave', 'expired') THEN 'likely'
        WHEN group_type <> 'classic' OR trigger = 'static_replacement' THEN 'proven' ELSE 'likely'
    END AS certainty,
    coalesce(reason, member_reason) AS reason
FROM rebalance_triggers
ORDER BY ALL
