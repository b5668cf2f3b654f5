-- What Burrow would have said of each committed partition of a group (NULL: of all groups) at an instant, and which
-- rule decides; over its last ten commits, and log ends looked at every ten seconds, as Burrow does by default.
-- `strict` also sees set-backs at zero lag. Where a hole in the log may hide what was committed last, no rule is known.
WITH hidden_offsets AS (
    SELECT cluster, group_id, topic, partition, TRUE AS is_hidden FROM state_at(ts, grp := grp) WHERE NOT is_known
),
verdicts AS (
    SELECT
        *,
        if(is_hidden, NULL, _burrow_rule(offsets, times_ms, lags, ends, is_exact, epoch_ms(ts::TIMESTAMPTZ), 0))
            AS rule,
        if(is_hidden, NULL, _strict_rule(offsets, rule)) AS strict_rule
    FROM _partition_windows(ts, grp := grp) LEFT JOIN hidden_offsets USING (cluster, group_id, topic, partition)
)
SELECT
    cluster, group_id, topic, partition, _partition_verdict(rule) AS status, rule,
    _partition_verdict(strict_rule) AS strict_status, strict_rule,
    if(is_hidden, NULL, offsets[-1]) AS current_offset, ends[-1] AS log_end_offset, log_partition, commits
FROM verdicts
