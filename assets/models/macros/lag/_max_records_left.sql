-- The most records that a stretch of a log can have from an offset on.
SELECT if(
    unread_from <= stretch.base_offset, stretch.records_upper,
    least(stretch.records_upper, stretch.last_offset - unread_from + 1)
)
