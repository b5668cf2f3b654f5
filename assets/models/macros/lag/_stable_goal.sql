-- The goal of who reads committed records only: the last stable offset, behind which nothing is left for him.
SELECT {
    'log_end_offset': CASE
        WHEN goal.last_stable_offset > unread_from THEN goal.last_stable_offset
        WHEN goal.last_stable_offset IS NOT NULL THEN unread_from
    END,
    'records_lower': goal.stable_lower, 'records_upper': goal.stable_upper, 'bytes': goal.stable_bytes,
    'unseen': goal.stable_unseen, 'reached_at': goal.reached_at
}
