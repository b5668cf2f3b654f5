-- Between which bounds lie the records from an offset to a goal, which may be a stretch further on; how many of the
-- offsets nobody looked into; and the bytes of the batches that hold the records.
SELECT CASE
    WHEN unread_from >= goal.log_end_offset THEN { 'lower': 0, 'upper': 0, 'bytes': 0, 'unseen': 0 }
    WHEN stretch.last_offset >= goal.log_end_offset
        THEN { 'lower': 0, 'upper': goal.log_end_offset - unread_from, 'bytes': NULL, 'unseen': 1 }
    WHEN stretch.last_offset >= unread_from THEN {
        'lower': goal.records_lower - stretch.records_lower_through + _min_records_left(stretch, unread_from),
        'upper': goal.records_upper - stretch.records_upper_through + _max_records_left(stretch, unread_from)
        + greatest(0, stretch.seen_from - unread_from),
        'bytes': goal.bytes - stretch.bytes_through + if(_max_records_left(stretch, unread_from) > 0, stretch.bytes, 0),
        'unseen': goal.unseen - stretch.unseen_through + greatest(0, stretch.seen_from - unread_from)
        + if(stretch.source <> 'batch', 1, 0)
    }
END
