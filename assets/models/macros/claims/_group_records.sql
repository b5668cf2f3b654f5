-- What is known of the state of each group from one record on: the records of its generations, and of a group in
-- ZooKeeper, which has no generations, the states that follow from its nodes.
SELECT cluster, log_partition, group_id, log_offset, generation, state, member_count, from_at, is_gap_free
FROM core.generations
UNION ALL
SELECT cluster, log_partition, group_id, log_offset, generation, state, member_count, from_at, is_gap_free
FROM internal.recorded_group_states WHERE group_type = 'zookeeper'
