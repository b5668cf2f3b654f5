-- Whether a start at the target is before, at or behind the copy of the first record that a group had not read.
-- Bounds that contradict each other, as where the target was cut off, say nothing.
SELECT CASE
    WHEN upper < lower THEN 'unknown'
    WHEN start > upper THEN 'ahead'
    WHEN start < lower THEN 'behind'
    WHEN start = lower AND start = upper THEN 'at'
    WHEN start = lower THEN 'at_or_behind'
    ELSE 'unknown'
END
