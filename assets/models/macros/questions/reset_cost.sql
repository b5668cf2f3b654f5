-- What a group (NULL: every group) would read again or skip in a topic (NULL: in all that it committed) if it were set
-- to a target: 'earliest', 'latest', an offset, or an instant: to what it had committed then. Nothing is changed. Where
-- the log start is not known, the earliest offset is the first that was ever seen. Where the target is not known
-- nothing else is.
FROM cost_of_moves((
    WITH begins AS (SELECT cluster, topic, partition, min(base_offset) AS first_seen FROM raw.batches GROUP BY ALL)
    SELECT
        list({
            'cluster': n.cluster, 'group_id': n.group_id, 'topic': n.topic, 'partition': n.partition,
            'target': CASE
                WHEN target::VARCHAR = 'earliest' THEN coalesce(e.log_start_offset, b.first_seen)
                WHEN target::VARCHAR = 'latest' THEN e.log_end_offset
                WHEN try_cast(target::VARCHAR AS BIGINT) IS NOT NULL THEN try_cast(target::VARCHAR AS BIGINT)
                WHEN try_cast(target::VARCHAR AS TIMESTAMPTZ) IS NOT NULL THEN s.current_offset
                ELSE error('reset_cost: give ''earliest'', ''latest'', an offset or an instant')
            END
        })
    FROM mart.offsets_now AS n
    LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
    LEFT JOIN begins AS b USING (cluster, topic, partition)
    LEFT JOIN state_at(try_cast(target::VARCHAR AS TIMESTAMPTZ)) AS s USING (cluster, group_id, topic, partition)
    WHERE (grp IS NULL OR n.group_id = grp) AND (tpc IS NULL OR n.topic = tpc)
))
