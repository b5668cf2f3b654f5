-- Bounds of records and of times as the columns of lag; where both bounds are one, that is the value.
SELECT {
    'records': if(bounds.lower = bounds.upper, bounds.lower, NULL),
    'records_lower': bounds.lower,
    'records_upper': bounds.upper,
    'bytes': if(bounds.unseen = 0, bounds.bytes, NULL),
    'seconds': CASE
        WHEN bounds.upper = 0 THEN 0
        WHEN bounds.lower > 0 AND _seconds_after(as_of, times.earliest) = _seconds_after(as_of, times.latest)
            THEN _seconds_after(as_of, times.earliest)
    END,
    'seconds_lower': CASE
        WHEN bounds.lower = 0 THEN 0 WHEN bounds.lower > 0 THEN _seconds_after(as_of, times.latest)
    END,
    'seconds_upper': CASE
        WHEN bounds.upper = 0 THEN 0 WHEN bounds.lower >= 0 THEN _seconds_after(as_of, times.earliest)
    END,
    'method': CASE
        WHEN bounds.upper = 0 AND bounds.unseen = 0 THEN 'log_end'
        WHEN bounds.unseen = 0 THEN 'batches'
        WHEN bounds.unseen > 0 THEN 'log_ends'
    END
}
