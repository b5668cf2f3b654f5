-- The ends of ownership that are as they were, with the commits that are remembered.
SELECT e.*, h.* EXCLUDE (key, until_log_offset, from_log_offset, owned_log_offset)
FROM ownership_ends AS e
JOIN replay_earlier_ends AS h
    ON
        h.key = e.key AND h.until_log_offset = e.until_log_offset AND h.from_log_offset = e.from_log_offset
        AND h.owned_log_offset = e.owned_log_offset
LEFT JOIN replay_searched_keys AS s ON s.key = e.key
WHERE (greatest(e.until_log_offset, e.from_log_offset) >= s.changed_from) IS NOT TRUE
