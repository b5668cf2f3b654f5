-- What Burrow would have said of each group at some instants: status_at and group_status_at for all of them at once, over the
-- windows of commits and of log ends that `looked_at` has.
WITH hidden AS (
    SELECT cluster, group_id, topic, partition, epoch_ms(taken_at) AS as_of_ms, TRUE AS is_hidden
    FROM internal.offset_snapshots WHERE NOT is_known
),
judged AS (
    SELECT *, if(is_hidden, NULL, _burrow_rule(offsets, times_ms, lags, ends, is_exact, as_of_ms, 0)) AS rule,
           if(is_hidden, NULL, _strict_rule(offsets, rule)) AS strict_rule
    FROM looked_at JOIN status_partitions USING (use)
    LEFT JOIN hidden USING (cluster, group_id, topic, partition, as_of_ms)
    WHERE piece = getvariable('piece')
),
graded AS (SELECT *, _status_rank(rule) AS badness, _status_rank(strict_rule) AS strict_badness FROM judged),
groups AS (
    SELECT cluster, group_id, as_of_ms, max(badness) AS badness, max(strict_badness) AS strict_badness,
           count(badness) = count(*) AS is_known, count(strict_badness) = count(*) AS is_strict_known,
           if(count(if(is_hidden, NULL, ends[-1])) = count(*), _saturated(sum(_offsets_left(offsets[-1], ends[-1]))), NULL) AS "lag",
           count(*)::INTEGER AS partitions, count_if(len(offsets) = 10) / count(*) AS complete,
           arg_max(
               {'topic': topic, 'partition': partition, 'rule': rule, 'strict_rule': strict_rule,
                'log_partition': last_log_partition, 'log_offsets': log_offsets},
               {'badness': coalesce(badness, -1), 'strict': coalesce(strict_badness, -1), 'topic': topic, 'partition': partition}
           ) AS worst
    FROM graded
    GROUP BY ALL
)
SELECT cluster, group_id, make_timestamptz(as_of_ms * 1000) AS as_of, _group_verdict(badness, is_known) AS status,
       _group_verdict(strict_badness, is_strict_known) AS strict_status, "lag", partitions, complete,
       worst.topic AS worst_topic, worst.partition AS worst_partition, worst.rule AS worst_rule,
       worst.strict_rule AS worst_strict_rule, worst.log_partition AS log_partition, worst.log_offsets AS log_offsets
FROM groups
