-- Times of ten minutes or more for which one of Burrow's rules held of one partition of a group at every instant of the
-- grid.
WITH status_runs AS (
    SELECT
        *, (
            lag((deciding_rule, worst_topic, worst_partition)::VARCHAR) OVER own
            IS DISTINCT FROM (deciding_rule, worst_topic, worst_partition)::VARCHAR
        ) AS begins,
        lead(as_of) OVER own IS NULL AS is_last
    FROM mart.group_status
    WINDOW own AS (PARTITION BY cluster, group_id ORDER BY as_of)
)
SELECT
    cluster, group_id, deciding_rule, span, any_value(worst_topic) AS topic, any_value(worst_partition) AS partition,
    min(as_of) AS from_at,
    max(as_of) AS to_at,
    bool_or(is_last) AS is_last,
    arg_min(log_partition, as_of) AS log_partition,
    arg_min(log_offsets, as_of) AS evidence, date_diff('minute', min(as_of), max(as_of)) AS minutes
FROM (SELECT *, count_if(begins) OVER (PARTITION BY cluster, group_id ORDER BY as_of) AS span FROM status_runs)
WHERE deciding_rule IN ('commits_stopped', 'no_progress', 'lag_never_less')
GROUP BY cluster, group_id, deciding_rule, span HAVING max(as_of) >= min(as_of) + INTERVAL 10 MINUTE
