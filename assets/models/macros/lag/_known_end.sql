-- Between which offsets a log ended: at the end that is known, unless bounds (a row of core.log_end_bounds, or NULL)
-- say that it is not; and never below `begins`, which is committed or the log start. NULL where they contradict each
-- other.
SELECT CASE
    WHEN
        bounds IS NULL AND begins > log_end_offset OR begins > bounds.log_end_upper
        OR bounds IS NOT NULL AND coalesce(bounds.log_end_lower, bounds.log_end_upper) IS NULL THEN NULL
    WHEN bounds IS NULL AND log_end_offset >= 0 THEN { 'lower': log_end_offset, 'upper': log_end_offset }
    WHEN bounds IS NOT NULL
        THEN { 'lower': greatest(bounds.log_end_lower, log_end_offset, begins), 'upper': bounds.log_end_upper }
END
