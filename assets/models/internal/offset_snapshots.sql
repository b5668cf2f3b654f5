-- The offset store at each instant of a regular grid, of each group from the instant on from which it is missing. What
-- a hole in the log leaves unknown of each is told as the macro state_at tells it of one instant. The grid reaches over
-- the times at which half of all was committed, and over those that are not twenty times as far away from them as they
-- are apart, and a month: a record of a wrong year would draw it out until all groups fell between its instants. Nor
-- does it reach minutes behind the last reading. What stands at its instants does not depend on where these are. Up to
-- where holes reach that may hide something of before each instant, and until when a later commit says that one does.
WITH reached_positions AS (
    SELECT DISTINCT
        cluster, log_partition, instant,
        max(to_log_offset) OVER (PARTITION BY cluster, log_partition ORDER BY instant) AS hidden_to,
        max(to_log_offset) FILTER (is_damage) OVER (PARTITION BY cluster, log_partition) AS damaged_to
    FROM (
        SELECT
            cluster, log_partition, to_log_offset, is_damage,
            if(from_at IS NULL, -1, (epoch_us(least(from_at, to_at)) + step_us - 1) // step_us) AS instant
        FROM core.log_gaps CROSS JOIN snapshot_times
        UNION ALL BY NAME
        SELECT cluster, log_partition, unnest(range(first_us // step_us, last_us // step_us + 1)) AS instant
        FROM (SELECT DISTINCT cluster, log_partition FROM core.log_gaps) CROSS JOIN snapshot_times
    )
),
hidden_keys AS (
    SELECT cluster, group_id, topic, partition, max((epoch_us(effective_at) + step_us - 1) // step_us) AS until_instant
    FROM internal.commits_after_gaps CROSS JOIN snapshot_times
    GROUP BY ALL
)
SELECT
    make_timestamptz(instant * step_us) AS taken_at, cluster, group_id, topic, partition, kind, committed_offset,
    effective_at,
    commit_at,
    leader_epoch,
    metadata,
    log_partition,
    log_offset,
    effective_log_offset,
    ten_from_log_offset,
    (log_offset < hidden_to AND (until_instant > instant OR log_offset < damaged_to)) IS NOT TRUE AS is_known,
    coalesce(taken_at < final_to, FALSE) AS is_final
FROM snapshot_commits
LEFT JOIN reached_positions USING (cluster, log_partition, instant)
LEFT JOIN hidden_keys USING (cluster, group_id, topic, partition)
LEFT JOIN frontiers USING (cluster, log_partition, group_id)
CROSS JOIN snapshot_times
ORDER BY taken_at, log_partition, group_id, topic, partition
