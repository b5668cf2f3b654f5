-- Offsets that were set back, or set anew after their removal: who did it, who had read before it and how far, and
-- whether the log is still the one that was read.
WITH reset_keys AS (SELECT DISTINCT cluster, log_partition, group_id, topic, partition FROM replay_reset_causes),
known_groups AS (SELECT DISTINCT cluster, log_partition, group_id FROM _group_records()),
resets AS (
    SELECT
        t.*, e.cause AS ended_for, e.is_clean, e.log_end AS read_to_before, e.log_end_next,
        l.* EXCLUDE (cluster, log_partition, log_offset), x.* EXCLUDE (cluster, log_partition, log_offset),
        g.cluster IS NOT NULL AS is_known_group
    FROM replay_reset_causes AS t
    ASOF LEFT JOIN
        (
            FROM replay_former_owners
            SEMI JOIN reset_keys USING (cluster, log_partition, group_id, topic, partition)
            WHERE claim_kind = 'handed_over'
        ) AS e
        ON
            e.cluster = t.cluster AND e.log_partition = t.log_partition AND e.group_id = t.group_id
            AND e.topic = t.topic AND e.partition = t.partition
            AND e.until_log_offset < t.effective_log_offset
    JOIN
        reset_log_facts AS l
        ON l.cluster = t.cluster AND l.log_partition = t.log_partition AND l.log_offset = t.log_offset
    JOIN
        reset_limits AS x
        ON x.cluster = t.cluster AND x.log_partition = t.log_partition AND x.log_offset = t.log_offset
    LEFT JOIN known_groups AS g
        ON g.cluster = t.cluster AND g.log_partition = t.log_partition AND g.group_id = t.group_id
    WHERE t.is_same_topic IS DISTINCT FROM FALSE AND t.removed_for IS DISTINCT FROM 'topic_deleted'
),
reset_ranges AS (
    -- An offset that is set while a group has no members binds the member that comes next, and what members commit they
    -- declare to have read: what they declared before and after was read twice. So does a checkpoint of Spark that is
    -- set back: each batch begins where the one before it ended. Members that move an offset themselves may have begun
    -- anywhere. So may those that first commit beyond what stood: at the log end, or where an offset that they keep
    -- elsewhere had come to.
    SELECT
        *,
        CASE
            WHEN is_cut THEN 'truncated' WHEN is_after_removal AND NOT is_by_admin THEN 'restarted_at_earliest' ELSE
                'set_back'
        END
            AS claim_kind,
        CASE
            WHEN is_cut THEN coalesce(log_start, 0) WHEN is_by_admin THEN committed_offset
            WHEN is_after_removal THEN coalesce(removed_log_start, 0) ELSE coalesce(log_start, 0)
        END AS possible_from,
        CASE
            WHEN is_cut THEN least(previous_offset, same_to, diverged_from)
            WHEN is_by_admin AND is_clean THEN previous_offset
            WHEN is_by_admin OR is_after_removal
                THEN
                    greatest(previous_offset, coalesce(read_to_before, removed_log_end, known_end))
                    + if(read_to_before IS NULL AND removed_log_end IS NULL AND known_end IS NULL, NULL, 0)
            WHEN known_end IS NOT NULL THEN greatest(previous_offset, known_end)
        END AS possible_to,
        greatest(possible_from, committed_offset, final_offset, declared_from, last_log_start, done_from, passed_to)
            AS surely_from,
        least(previous_offset, highest_offset, read_to, diverged_from, rewritten_from, done_to) AS surely_to,
        coalesce(
            (state = 'Empty' OR is_after_removal OR is_batch) AND NOT is_transactional AND NOT is_cut
            AND is_other_life IS NOT TRUE
            AND (log_end < previous_offset) IS NOT TRUE AND (NOT is_after_removal OR is_same_topic OR was_there)
            AND (state <> 'Empty' OR begun_to < least(previous_offset, highest_offset))
            AND declared_from IS NOT NULL AND previous_offset IS NOT NULL AND final_offset IS NOT NULL
            AND surely_from < surely_to, FALSE
        ) AS is_certain
    FROM resets
)
SELECT
    *,
    CASE
        WHEN is_transactional THEN 'transaction' WHEN NOT is_known_group OR is_of_session THEN written_by
        WHEN is_by_admin THEN 'admin'
        WHEN state = 'Empty' THEN coalesce(written_by, 'unknown')
        WHEN member_id IS NULL OR state NOT IN ('Stable', 'Assigning', 'Reconciling') THEN 'unknown'
        WHEN owned_until > log_offset THEN 'owner' ELSE 'former_owner'
    END AS actor
FROM (
    SELECT
        j.*,
        o.member_id,
        o.client_id,
        o.client_host,
        coalesce(o.until_log_offset, 9223372036854775807) AS owned_until
    FROM reset_ranges AS j
    ASOF LEFT JOIN
        (
            FROM _owners()
            SEMI JOIN reset_keys USING (cluster, log_partition, group_id, topic, partition)
            WHERE topic IS NOT NULL
        ) AS o
        ON
            o.cluster = j.cluster AND o.log_partition = j.log_partition AND o.group_id = j.group_id
            AND o.topic = j.topic AND o.partition = j.partition
            AND o.log_offset <= j.log_offset
)
