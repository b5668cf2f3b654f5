-- The same window, judged more strictly: a set-back counts also at zero lag, and until all that was ever committed in the
-- window is reached again.
CASE
    WHEN list_max(offsets) > offsets[-1] THEN 'set back'
    ELSE burrow_rule(offsets, times_ms, lags, ends, as_of_ms, allowed_lag)
END
