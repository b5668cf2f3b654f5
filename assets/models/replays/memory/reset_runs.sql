-- Commits in a row within one stretch and one state, for the next run.
SELECT
    k.cluster, k.log_partition, k.group_id, k.topic, k.partition, r.stretch, r.state_log_offset,
    bool_or(r.is_read_in) AS is_read_in, max(r.last_position) AS last_position, sum(r.commits)::BIGINT AS commits,
    max(r.read_to) AS read_to, max(r.stretch_from) AS stretch_from, max(r.highest_offset) AS highest_offset,
    min(r.begun_to) AS begun_to, max(r.longest_step) AS longest_step
FROM replay_reset_runs AS r JOIN replay_reset_keys AS k USING (key)
GROUP BY ALL
