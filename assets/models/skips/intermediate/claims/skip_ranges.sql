-- A member that died may have read on from its last commit, though no further than the log reached when the group was
-- found empty. What the group committed before, and what it came back to, was or will be read
-- after all. ZooKeeper takes offsets of members that it gave up, which may read on: there nothing is proven.
WITH proofs AS (
    SELECT
        *, greatest(possible_from, read_before_to, members_read_to) AS proven_from,
        least(if(claim_kind = 'overtaken_by_log_start', log_start_offset, possible_to), read_after_from) AS proven_to,
        least(greatest(possible_from, least(estimate_to, read_after_from)), possible_to) AS probably_to,
        coalesce(
            (store_kind IS DISTINCT FROM 'zookeeper') AND is_alone_since AND is_state_whole AND members_read_to >= 0
            AND NOT is_read_anew AND proven_from < proven_to
            AND CASE claim_kind
                WHEN 'set_forward'
                    THEN commits_in_state = 1 AND state = 'Empty' AND is_transactional IS NOT NULL AND actor = 'admin'
                WHEN 'overtaken_by_log_start' THEN known_at <= members_at ELSE FALSE
            END, FALSE
        ) AS is_certain
    FROM skip_claims
    WHERE possible_from < possible_to
)
SELECT
    * EXCLUDE (cause, estimate_to),
    if(is_certain, proven_from, NULL) AS certain_from,
    if(is_certain, proven_to, NULL) AS certain_to,
    CASE
        WHEN cause <> 'log_start' THEN cause WHEN is_in_segment THEN 'records_deleted' WHEN
            is_cause_known
            THEN 'retention'
        ELSE coalesce(else_cause, 'unknown')
    END AS cause,
    if(claim_kind = 'below_log_start', committed_offset, coalesce(previous_offset, removed_offset)) AS stood_offset,
    if(claim_kind = 'below_log_start', greatest(reached_at, written_at), effective_at) AS went_at,
    if(estimate_to IS NULL, NULL, least(probably_to, greatest(possible_from, read_before_to))) AS estimate_from,
    if(estimate_to IS NULL, NULL, probably_to) AS estimate_to,
    if(claim_kind = 'below_log_start', 9223372036854775807, effective_log_offset) AS went_log_offset
FROM proofs
