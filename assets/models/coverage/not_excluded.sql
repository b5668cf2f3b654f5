-- What is only possible, over all that was read.
FROM not_excluded_between('-infinity'::TIMESTAMPTZ, 'infinity'::TIMESTAMPTZ)
ORDER BY cluster, group_id, kind
