-- Commits that may have gone past offsets, of all kinds.
WITH candidates AS (
    FROM set_forward_skips
    UNION ALL BY NAME
    FROM restart_skips
    UNION ALL BY NAME
    FROM overtaken_skips
    UNION ALL BY NAME
    FROM left_behind_skips
    UNION ALL BY NAME
    (FROM seek_skips WHERE NOT is_memberless)
)
FROM candidates WHERE possible_from >= 0 AND possible_from < possible_to
