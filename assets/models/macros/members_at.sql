-- The members of every classic group at an instant, by the generation that was written last before it.
SELECT m.cluster, m.group_id, m.generation, g.state, m.member_id, m.group_instance_id, m.client_id, m.client_host,
       m.assigned
FROM core.generations AS g
JOIN core.members AS m USING (cluster, log_partition, log_offset)
WHERE g.from_at <= ts AND (g.to_at IS NULL OR g.to_at > ts)
