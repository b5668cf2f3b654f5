-- What is remembered of ends of ownership, by the numbers of keys.
SELECT k.key, h.* EXCLUDE (cluster, log_partition, group_id, topic, partition)
FROM earlier_handover_commits AS h JOIN replay_keys AS k USING (cluster, log_partition, group_id, topic, partition)
