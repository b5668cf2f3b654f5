-- What Burrow would have said of each group at some instants: status_at and group_status_at for all of them at once,
-- over the windows of commits and of log ends that `status_windows` has.
WITH hidden_offsets AS (
    SELECT cluster, group_id, topic, partition, epoch_ms(taken_at) AS as_of_ms, TRUE AS is_hidden
    FROM internal.offset_snapshots WHERE NOT is_known
),
verdicts AS (
    SELECT
        cluster, group_id, topic, partition, as_of_ms,
        if(is_hidden, NULL, _burrow_rule(offsets, times_ms, lags, ends, is_exact, as_of_ms, 0)) AS rule,
        if(is_hidden, NULL, _strict_rule(offsets, rule)) AS strict_rule,
        if(is_hidden OR ends[-1] IS NULL, NULL, _offsets_left(offsets[-1], ends[-1])) AS lag,
        last_log_partition AS log_partition, log_offsets
    FROM status_windows JOIN status_partitions USING (use)
    LEFT JOIN hidden_offsets USING (cluster, group_id, topic, partition, as_of_ms)
    WHERE piece = getvariable('piece')
)
SELECT
    cluster,
    group_id,
    make_timestamptz(as_of_ms * 1000) AS as_of,
    status,
    strict_status,
    lag AS "lag",
    partitions,
    complete,
    worst_topic, worst_partition, deciding_rule, deciding_strict_rule, log_partition, log_offsets,
    coalesce(as_of < final_to, FALSE) AS is_final
FROM _group_statuses('verdicts') JOIN status_groups USING (cluster, group_id)
