-- What was read again since an offset was set back, or set anew after its removal. An estimate is nothing where it
-- begins and ends at one offset, and NULL where no record names one of the two: the log is another one, or the group
-- may never have read so far back before.
WITH reset_offsets AS (
    SELECT
        *, least(greatest(committed_offset, final_offset), previous_offset) AS lowest,
        if(first_offset IS NULL, NULL, greatest(first_offset, possible_from)) AS begins,
        NOT is_another_log AND is_other_life IS NOT TRUE AND NOT is_cut
        AND (NOT is_after_removal OR coalesce(is_same_topic OR was_there, FALSE)) AS is_same_log,
        -- Where members first came to, that nobody else can have come to.
        coalesce(begun_to, if(is_next_elsewhere, next_offset, NULL)) AS came_to,
        if(begun_to IS NULL, came_to, read_to) AS went_to
    FROM replay_resets
),
estimates AS (
    SELECT
        *, CASE
            WHEN is_same_log AND is_by_admin THEN by_admin
            WHEN is_same_log AND is_after_removal THEN from_start
            WHEN is_same_log THEN by_member
        END AS estimate
    FROM (
        SELECT
            *,
            -- Nothing is read again before members come, nor beyond what they have committed since; nor where the
            -- log begins behind the offset and they go on behind all that stood.
            CASE
                WHEN lowest >= least(previous_offset, highest_offset) THEN [lowest, lowest]
                WHEN
                    came_to IS NULL OR log_start > lowest AND came_to >= previous_offset
                    OR _minus(previous_offset, lowest) > 2 * _minus(previous_offset, lowest_so_far)::HUGEINT THEN NULL
                ELSE
                    [
                        greatest(lowest, log_start),
                        greatest(lowest, log_start, least(previous_offset, highest_offset, went_to))
                    ]
            END AS by_admin,
            -- A group that comes out behind what stood before may have begun at the log end.
            CASE
                WHEN committed_offset >= previous_offset
                    THEN if(
                        _minus(committed_offset, possible_from) > 2 * longest_step::HUGEINT
                        AND log_end_next IS NOT NULL,
                        [possible_from, possible_from], NULL
                    )
                WHEN
                    begins <= committed_offset
                    AND _minus(previous_offset, possible_from) <= 2 * _minus(previous_offset, begins)::HUGEINT
                    AND _minus(previous_offset, begins) <= 2 * _minus(previous_offset, lowest_so_far)::HUGEINT
                    THEN [begins, previous_offset]
            END AS from_start,
            -- Commits that come out of order set nothing back. A lower commit is where a member began only if
            -- nothing was read there yet, or if it went farther than it ever does at once; of who is not known to
            -- own the partition, only the next commit tells that it goes on from there. What commits to an empty
            -- group by itself may be anything.
            CASE
                WHEN actor = 'former_owner' OR is_at_once AND next_offset >= previous_offset
                    THEN [committed_offset, committed_offset]
                WHEN state = 'Empty' OR actor = 'simple_consumer' THEN NULL
                WHEN
                    (is_unread_there OR _minus(previous_offset, committed_offset) >= longest_step)
                    AND (actor IN ('owner', 'transaction') AND NOT is_at_once OR next_offset < previous_offset)
                    THEN [committed_offset, previous_offset]
            END AS by_member
        FROM reset_offsets
    )
)
SELECT
    cluster,
    log_partition,
    group_id,
    topic,
    partition,
    claim_kind,
    log_offset,
    effective_log_offset,
    effective_at AS occurred_at,
    if(claim_kind = 'set_back', committed_offset, NULL) AS from_offset,
    previous_offset AS to_offset,
    possible_from,
    possible_to,
    if(is_certain, surely_from, NULL) AS certain_from, if(is_certain, surely_to, NULL) AS certain_to,
    if(estimate IS NULL, NULL, least(greatest(estimate[1], possible_from), possible_to)) AS estimate_from,
    if(
        estimate IS NULL,
        NULL,
        least(greatest(estimate[1], least(estimate[2], rewritten_from), possible_from), possible_to)
    )
        AS estimate_to,
    previous_at AS from_time,
    CASE
        WHEN is_cut THEN 'truncation'
        WHEN is_by_admin THEN 'admin_reset'
        WHEN is_after_removal THEN coalesce(nullif(removed_for, 'unknown'), 'offsets_removed')
        WHEN actor = 'former_owner' THEN 'late_commit_of_former_owner' ELSE 'unknown'
    END AS cause,
    actor, if(actor IN ('owner', 'former_owner', 'transaction'), member_id, NULL) AS member_id,
    if(actor IN ('owner', 'former_owner', 'transaction'), client_id, NULL) AS client_id,
    if(actor IN ('owner', 'former_owner', 'transaction'), client_host, NULL) AS client_host,
    generation_before,
    generation_after,
    [stood_log_offset, removal_log_offset, if(state = 'Empty', state_log_offset, NULL), log_offset] AS evidence,
    is_another_log
FROM estimates
WHERE coalesce(possible_to > possible_from, TRUE)
