-- The ends of ownership of which commits are looked up, and, before them, those whose places part the commits
-- (`is_new` is false).
SELECT e.*, greatest(e.until_log_offset, e.from_log_offset) >= s.changed_from AS is_new
FROM ownership_ends AS e JOIN replay_searched_keys AS s USING (key)
WHERE greatest(e.until_log_offset, e.from_log_offset) >= s.anchor_place
