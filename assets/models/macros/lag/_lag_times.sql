-- Between which times lies the first record from an offset on, of as many as `bounds` says; NULL where no bound is
-- known.
SELECT {
    'earliest': CASE
        WHEN _max_records_left(stretch, unread_from) = 0 THEN stretch.next_earliest_at
        WHEN unread_from >= stretch.seen_from THEN stretch.earliest_at
    END,
    'latest': CASE
        WHEN _max_records_left(stretch, unread_from) = 0 THEN coalesce(stretch.next_latest_at, goal.reached_at)
        WHEN _min_records_left(stretch, unread_from) = 0 THEN goal.reached_at
        WHEN unread_from <= stretch.base_offset THEN coalesce(stretch.first_latest_at, goal.reached_at)
        ELSE coalesce(stretch.latest_at, goal.reached_at)
    END
}
