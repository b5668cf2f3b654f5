-- The bounds of what is left where the log ended between two goals: at least as much as up to the first, at most as up
-- to the second; some of it nobody looked into.
SELECT {
    'lower': if(unread_from IS NULL, NULL, coalesce(floor.lower, 0)), 'upper': roof.upper, 'bytes': NULL::BIGINT,
    'unseen': if(unread_from IS NULL, NULL, 1)
}
