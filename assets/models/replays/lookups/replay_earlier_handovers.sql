-- Ends of ownership of the keys that are not searched from the first one on, with the commits that are remembered.
SELECT e.*, h.* EXCLUDE (
    cluster, log_partition, group_id, topic, partition, until_log_offset, from_log_offset, owned_log_offset
)
FROM (FROM ownership_ends ANTI JOIN replay_searched_keys USING (key)) AS e
JOIN earlier_handover_commits AS h
    ON
        h.cluster = e.cluster AND h.log_partition = e.log_partition AND h.group_id = e.group_id
        AND h.topic = e.topic AND h.partition = e.partition AND h.until_log_offset = e.until_log_offset
        AND (h.from_log_offset IS NOT DISTINCT FROM e.from_log_offset)
        AND (h.owned_log_offset IS NOT DISTINCT FROM e.owned_log_offset)
