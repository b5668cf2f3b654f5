-- Lag and owner of every partition that a group (NULL: any group) had committed or owned at an instant. Where the log
-- end is known within bounds lag is, too. A commit or a log start beyond the end that is known proves that the end is
-- not known: lag is NULL then, as it is without any end, and where a hole in the offsets topic may hide what was
-- committed. At 'infinity' time is counted to the newest commit, or to what is known last of the log itself: what a
-- producer's clock says of another log is no time of this one. What a macro is given is written out wherever it names
-- it: so each step has columns of its own.
WITH goal_bounds AS (
    SELECT
        *,
        _lag_bounds(stretch, unread_from, goal) AS first_bounds,
        _lag_bounds(stretch, unread_from, last_goal) AS last_bounds,
        _lag_bounds(stretch, unread_from, stable_goal) AS first_stable_bounds,
        _lag_bounds(stretch, unread_from, last_stable_goal) AS last_stable_bounds,
        _lag_times(stretch, unread_from, goal) AS times
    FROM _lag_goals(ts, grp := grp)
),
lag_bounds AS (
    SELECT
        *, if(is_bounded, _lag_between(first_bounds, last_bounds, unread_from), first_bounds) AS high_bounds,
        if(is_bounded, _lag_between(first_stable_bounds, last_stable_bounds, unread_from), first_stable_bounds)
            AS stable_bounds
    FROM goal_bounds
),
lags AS (
    SELECT *, _lag_columns(high_bounds, times, as_of) AS high, _lag_columns(stable_bounds, times, as_of) AS stable
    FROM lag_bounds
)
SELECT
    cluster, group_id, topic, partition, current_offset, is_known, log_start_offset,
    if(log_end.lower = log_end.upper, log_end.lower, NULL) AS log_end_offset, log_end.lower AS log_end_lower,
    log_end.upper AS log_end_upper, log_end_offset - unread_from AS lag, log_end.lower - unread_from AS lag_lower,
    log_end.upper - unread_from AS lag_upper,
    if(current_offset >= 0 AND log_start_offset >= 0, greatest(log_start_offset - current_offset, 0), NULL)
        AS lost_offsets,
    high.records, high.records_lower, high.records_upper, high.bytes, high.seconds, high.seconds_lower,
    high.seconds_upper, high.method, if(is_bounded, NULL, goal.last_stable_offset) AS last_stable_offset,
    if(is_bounded, NULL, stable_goal.log_end_offset - unread_from) AS stable_lag, stable.records AS stable_records,
    stable.records_lower AS stable_records_lower,
    stable.records_upper AS stable_records_upper,
    stable.bytes AS stable_bytes,
    stable.seconds AS stable_seconds,
    stable.seconds_lower AS stable_seconds_lower, stable.seconds_upper AS stable_seconds_upper,
    member_id, client_host, client_id
FROM lags
