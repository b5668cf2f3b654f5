-- What caused each rebalance, by the text log and by records. A line is believed where records do not contradict.
WITH trigger_signs AS (
    SELECT
        *,
        CASE
            WHEN
                members_before > 0 AND regexp_matches(client_reason, 'NotCoordinator|CoordinatorLoadInProgress')
                OR coordinator_reason ILIKE 'error when storing group assignment%' THEN 'coordinator_failover'
            WHEN coordinator_reason ILIKE 'adding new member %' THEN 'join'
            WHEN
                regexp_matches(coordinator_reason, '^removing .* on (heartbeat|pending sync request) expiration', 'i')
                THEN 'expired'
            WHEN coordinator_reason ILIKE '%LeaveGroup%' THEN 'leave'
            WHEN
                coordinator_reason ILIKE '%protocol will change%' OR coordinator_reason ILIKE '%change of protocol%'
                OR coordinator_reason ILIKE 'downgrade group %' THEN 'protocol_change'
            WHEN client_reason LIKE 'cached metadata has changed%' THEN 'partitions_added'
            WHEN client_reason LIKE '%subscription has changed%' THEN 'subscription_change'
            WHEN coordinator_reason ILIKE 'leader % re-joining group%' THEN 'leader_rejoin'
            WHEN coordinator_reason ILIKE 'updating metadata for member %' THEN 'subscription_change'
        END AS logged_trigger,
        CASE
            WHEN NOT is_before_known THEN NULL
            WHEN first_changes = ['replaced'] THEN 'static_replacement'
            WHEN
                group_type <> group_type_before OR protocol <> protocol_before AND len(first_changes) = 0
                THEN 'protocol_change'
            WHEN first_changes = ['joined'] THEN 'join'
            WHEN first_changes = ['left'] THEN 'leave'
            WHEN first_changes = ['expired'] THEN 'expired'
            WHEN first_changes = ['left_or_expired']
                THEN 'left_or_expired'
            WHEN first_changes = ['resubscribed'] THEN 'subscription_change'
            WHEN len(first_changes) > 0 THEN 'members_changed'
            WHEN taken_up > 0 AND lost = 0 AND owned_before > 0 THEN 'partitions_added'
            WHEN is_new_coordinator THEN 'coordinator_failover'
        END AS recorded_trigger
    FROM rebalance_facts
)
SELECT
    *, coalesce(logged_trigger, recorded_trigger) AS trigger,
    CASE logged_trigger
        WHEN 'join' THEN len(joined) > 0 OR len(replaced) > 0 WHEN 'partitions_added' THEN taken_up > 0
        WHEN 'subscription_change' THEN resubscribed > 0 WHEN
            'protocol_change'
            THEN recorded_trigger = 'protocol_change'
        WHEN 'coordinator_failover' THEN is_new_coordinator ELSE FALSE
    END AS is_confirmed,
    coalesce(begun_at, if(group_type = 'classic', joined_at, from_at), from_at) AS started_at,
    owned_before - moved - lost AS kept
FROM trigger_signs
