-- What Burrow would have said of each group (NULL: of all groups) at an instant: the worst of its partitions.
SELECT cluster, group_id,
       _group_verdict(max(badness), count(badness) = count(*)) AS status,
       _group_verdict(max(strict_badness), count(strict_badness) = count(*)) AS strict_status,
       count(*) AS partitions, count_if(len(commits) = 10) / count(*) AS complete,
       arg_max(topic, badness) AS worst_topic, arg_max(partition, badness) AS worst_partition,
       arg_max(rule, badness) AS worst_rule
FROM (SELECT *, _status_rank(rule) AS badness, _status_rank(strict_rule) AS strict_badness FROM status_at(ts, grp))
GROUP BY ALL
