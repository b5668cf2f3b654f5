-- Across two lives of a topic, told by its ids or because all of its log came in between, nothing is claimed: that is
-- another log. What a group went past in an earlier life, before any of the log came, it did go past; of its records
-- nothing is known. Where a log start was found later, a step over it tells it from reading on: one longer than all
-- others of the group in the topic, or the first after nobody was there, after the last time that anybody read what
-- lies before it. It ends no farther behind the log start than the others go, or behind the log end that the members
-- met, if they went on there instead; or it is the first and more than twice as long as they are: of who comes back and
-- commits seldom nobody can tell where it went on.
SELECT
    * REPLACE (
        CASE
            WHEN claim_kind = 'below_log_start' AND kind = 'rewind' THEN greatest(possible_from, read_before_to) ELSE
                possible_from
        END AS possible_from,
        CASE
            WHEN claim_kind = 'overtaken_by_log_start' AND committed_offset < end_stood
                THEN greatest(log_start_offset, least(committed_offset, start_later))
            ELSE possible_to
        END AS possible_to
    ),
    CASE claim_kind
        WHEN 'set_forward'
            THEN CASE
                WHEN leader_epoch IS NOT NULL OR actor = 'simple_consumer' THEN possible_from
                WHEN is_reset THEN possible_to
            END
        WHEN 'skipped_ahead' THEN if(cause = 'seek', possible_to, NULL)
        WHEN 'below_log_start'
            THEN if(
                (is_cause_known OR known_at IS NOT NULL) AND NOT is_life_unknown
                AND _minus(possible_to, committed_offset) > coalesce(longest, 0), possible_to, NULL
            )
        WHEN 'restarted_at_latest' THEN if(is_at_end, end_met, NULL)
        WHEN 'overtaken_by_log_start' THEN CASE
            WHEN NOT is_gone THEN NULL WHEN is_near_start THEN log_start_offset
            WHEN is_near_end THEN end_met
        END
    END AS estimate_to
FROM (
    SELECT
        *,
        coalesce(known_at <= effective_at OR _minus(committed_offset, log_start_offset) <= longest, TRUE)
            AS is_near_start,
        coalesce(committed_offset >= end_met AND _minus(committed_offset, end_met) <= longest, FALSE) AS is_near_end,
        coalesce(is_alone_since AND _minus(committed_offset, previous_offset) > 2 * longest::HUGEINT, FALSE) AS is_far,
        state = 'Empty' AND actor = 'admin' AND moves = 1 AND commits_in_state <= 2 AND is_state_whole AS is_reset,
        coalesce(is_in_segment OR expires_at <= if(claim_kind = 'below_log_start', newest_at, effective_at), FALSE)
            AS is_cause_known,
        coalesce(known_at <= members_at AND is_alone_since, FALSE)
        OR coalesce(
            (is_cause_known OR known_at <= effective_at) AND _minus(log_start_offset, previous_offset) > longest, FALSE
        )
            AS is_gone,
        coalesce(
            end_met > possible_from AND _minus(committed_offset, end_met) BETWEEN 0 AND longest
            AND _minus(committed_offset, last_start) > 10 * longest::HUGEINT AND end_stood IS NOT NULL, FALSE
        )
        AND NOT is_restarted_low AND NOT is_life_unknown AS is_at_end
    FROM skip_measures
)
WHERE
    NOT is_another_topic
    AND (is_earlier_log OR NOT is_later_log)
    AND CASE claim_kind
        WHEN 'overtaken_by_log_start'
            THEN coalesce(known_at <= effective_at, FALSE) OR (
                (is_near_start OR is_near_end OR is_far) AND is_read_by_none
                AND (is_alone_since OR coalesce(_minus(log_start_offset, previous_offset) > longest, FALSE))
            )
        WHEN 'skipped_ahead' THEN is_epoch_after AND (is_epoch_before OR is_alone_since)
        ELSE TRUE
    END
QUALIFY row_number() OVER (
    PARTITION BY
        cluster, log_partition, log_offset, if(claim_kind = 'skipped_ahead', 'overtaken_by_log_start', claim_kind)
    ORDER BY claim_kind, is_gone DESC, log_start_offset DESC
) = 1
