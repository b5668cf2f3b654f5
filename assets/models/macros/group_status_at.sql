-- What Burrow would have said of each group at an instant: the worst of its partitions.
SELECT cluster, group_id,
       CASE WHEN max(badness) > 1 THEN 'ERR' WHEN max(badness) = 1 THEN 'WARN' WHEN count(badness) = count(*) THEN 'OK' END
           AS status,
       CASE WHEN max(strict_badness) > 1 THEN 'ERR' WHEN max(strict_badness) = 1 THEN 'WARN'
            WHEN count(strict_badness) = count(*) THEN 'OK' END AS strict_status,
       count(*) AS partitions, count_if(len(commits) = 10) / count(*) AS complete,
       arg_max(topic, badness) AS worst_topic, arg_max(partition, badness) AS worst_partition,
       arg_max(rule, badness) AS worst_rule
FROM (
    SELECT *, list_position(['OK', 'WARN', 'STOP', 'STALL', 'REWIND'], status) - 1 AS badness,
           list_position(['OK', 'WARN', 'STOP', 'STALL', 'REWIND'], strict_status) - 1 AS strict_badness
    FROM status_at(ts)
)
GROUP BY ALL
