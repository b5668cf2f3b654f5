-- The fewest records that a stretch of a log can have from an offset on.
SELECT if(
    unread_from <= stretch.base_offset, stretch.records_lower,
    greatest(0, stretch.records_lower - (unread_from - stretch.base_offset))
)
