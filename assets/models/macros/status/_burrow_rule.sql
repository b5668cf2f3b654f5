-- Which of Burrow's rules decides over one window of commits, oldest first, as of an instant. `lags` are those at the
-- time of each commit, NULL where unknown; `ends` the log ends that were known lately, newest last; NULL when that is
-- unknown. Unless `is_exact`, some log end then was known within bounds only: what it decides is not known.
SELECT CASE
    WHEN len(offsets) = 0 THEN 'no_commits'
    WHEN ends[-1] IS NULL THEN NULL
    WHEN _minus(ends[-1], offsets[-1]) <= allowed_lag THEN 'at_log_end'
    WHEN NOT is_exact AND as_of_ms - times_ms[-1] > times_ms[-1] - times_ms[1] THEN NULL
    WHEN as_of_ms - times_ms[-1] > times_ms[-1] - times_ms[1] AND list_min(ends) > offsets[-1] THEN 'commits_stopped'
    WHEN list_max(offsets[_first_drop(offsets):]) < offsets[_first_drop(offsets) - 1] THEN 'set_back'
    WHEN NOT is_exact THEN NULL
    WHEN list_min(lags) <= allowed_lag THEN 'was_at_log_end'
    WHEN list_min(offsets) = list_max(offsets) THEN 'no_progress'
    WHEN _first_drop(list_filter(lags, LAMBDA known: known IS NOT NULL)) IS NULL THEN 'lag_never_less'
    ELSE 'lag_less_at_times'
END
