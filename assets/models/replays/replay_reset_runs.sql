-- Commits in a row within one stretch and one state: new ones, and those that are remembered.
FROM new_reset_runs
UNION ALL BY NAME
SELECT k.key, r.* EXCLUDE (cluster, log_partition, group_id, topic, partition)
FROM earlier_reset_runs AS r
JOIN
    (FROM replay_reset_keys ANTI JOIN (FROM replay_searched_keys WHERE is_whole) USING (key)) AS k
    USING (cluster, log_partition, group_id, topic, partition)
