-- What Burrow would have said of each group at each instant: the worst of its partitions; of several that are as bad
-- the one with the greatest name. `verdicts_of` names a table of partitions with the rules that decide over them.
WITH graded_verdicts AS (
    SELECT *, _status_rank(rule) AS badness, _status_rank(strict_rule) AS strict_badness FROM query_table(verdicts_of)
),
groups AS (
    SELECT
        cluster, group_id, as_of_ms, max(badness) AS badness, max(strict_badness) AS strict_badness,
        count(badness) = count(*) AS is_known, count(strict_badness) = count(*) AS is_strict_known,
        count(*)::INTEGER AS partitions, count_if(len(log_offsets) = 10) / count(*) AS complete,
        if(count(lag) = count(*), _as_bigint(sum(lag)), NULL) AS lag,
        arg_max(
            {
                'topic': topic, 'partition': partition, 'rule': rule, 'strict_rule': strict_rule,
                'log_partition': log_partition, 'log_offsets': log_offsets
            },
            {
                'badness': coalesce(badness, -1),
                'strict': coalesce(strict_badness, -1),
                'topic': topic,
                'partition': partition
            }
        ) AS worst
    FROM graded_verdicts
    GROUP BY ALL
)
SELECT
    cluster, group_id, as_of_ms, _group_verdict(badness, is_known) AS status,
    _group_verdict(strict_badness, is_strict_known) AS strict_status, lag, partitions, complete,
    worst.topic AS worst_topic, worst.partition AS worst_partition, worst.rule AS deciding_rule,
    worst.strict_rule AS deciding_strict_rule, worst.log_partition AS log_partition, worst.log_offsets AS log_offsets
FROM groups
