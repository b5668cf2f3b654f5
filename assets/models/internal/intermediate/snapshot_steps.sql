-- Of each key and each step of the grid that is missing, or that its last ten commits before those are in: the newest
-- commit of the step, and how many there are. Of a group without a store all are read. Of a key with one what has come
-- since is read, and where something has, so is how many of its commits before are in which step: those from the log
-- offset of the tenth one on, and those of steps behind that of the one that stands, for a clock that stepped back
-- dates commits of an earlier log offset later. Among them are all commits of the steps that have the last ten, and of
-- each later one; of what is earlier some are read and some are not, but more than nine lie behind it.
WITH placed_commits AS (
    SELECT c.*, NULL::BIGINT AS from_step
    FROM core.commits AS c JOIN frontiers AS f USING (cluster, log_partition, group_id)
    WHERE f.from_at IS NULL AND c.effective_at IS NOT NULL
    UNION ALL
    FROM snapshot_news
),
newest_commits AS (
    SELECT
        cluster, group_id, topic, partition, from_step,
        (greatest(epoch_us(effective_at), first_us) + step_us - 1) // step_us AS step,
        arg_max(
            {
                'kind': kind, 'committed_offset': committed_offset, 'effective_at': effective_at,
                'commit_at': commit_at, 'leader_epoch': leader_epoch, 'metadata': metadata,
                'log_partition': log_partition, 'log_offset': log_offset, 'effective_log_offset': effective_log_offset
            },
            _commit_place(log_partition, effective_log_offset, log_offset)
        ) AS last,
        max(_commit_place(log_partition, effective_log_offset, log_offset)) AS place,
        count_if(kind <> 'removed') AS commits, min(effective_log_offset) FILTER (kind <> 'removed') AS first_log_offset
    FROM placed_commits CROSS JOIN snapshot_times
    WHERE epoch_us(effective_at) <= last_us // step_us * step_us
    GROUP BY ALL
),
active_seeds AS (
    FROM snapshot_seeds SEMI JOIN snapshot_news USING (cluster, group_id, topic, partition)
),
commits_before AS (
    SELECT c.*, s.from_step
    FROM core.commits AS c JOIN active_seeds AS s USING (cluster, log_partition, group_id, topic, partition)
    WHERE c.effective_log_offset >= getvariable('counted_from') AND c.effective_log_offset >= s.counted_from
    UNION ALL
    SELECT c.*, s.from_step
    FROM core.commits AS c JOIN active_seeds AS s USING (cluster, log_partition, group_id, topic, partition)
    CROSS JOIN snapshot_times
    WHERE
        c.effective_at > getvariable('steps_from') AND epoch_us(c.effective_at) > s.seed_step * step_us
        AND c.effective_log_offset < s.counted_from
),
last_ten AS (
    SELECT
        cluster, group_id, topic, partition, from_step,
        (greatest(epoch_us(effective_at), first_us) + step_us - 1) // step_us AS step,
        count(*) AS commits, min(effective_log_offset) AS first_log_offset
    FROM commits_before CROSS JOIN snapshot_times
    WHERE kind <> 'removed' AND epoch_us(effective_at) <= (from_step - 1) * step_us
    GROUP BY ALL
)
FROM newest_commits
UNION ALL BY NAME
FROM last_ten
UNION ALL BY NAME
SELECT
    cluster, group_id, topic, partition, from_step, seed_step AS step, 0 AS commits,
    {
        'kind': kind, 'committed_offset': committed_offset, 'effective_at': effective_at, 'commit_at': commit_at,
        'leader_epoch': leader_epoch, 'metadata': metadata, 'log_partition': log_partition, 'log_offset': log_offset,
        'effective_log_offset': effective_log_offset
    } AS last,
    _commit_place(log_partition, effective_log_offset, log_offset) AS place,
    ten_from_log_offset AS seed_ten_from
FROM snapshot_seeds
