-- The commits that stand at each instant of the grid.
WITH newest_times AS (
    SELECT
        cluster,
        group_id,
        topic,
        partition,
        (greatest(epoch_us(effective_at), first_us) + step_us - 1) // step_us AS step,
        arg_max(
            {
                'kind': kind,
                'committed_offset': committed_offset,
                'effective_at': effective_at,
                'commit_at': commit_at,
                'leader_epoch': leader_epoch, 'metadata': metadata, 'log_partition': log_partition,
                'log_offset': log_offset, 'effective_log_offset': effective_log_offset
            },
            effective_log_offset::HUGEINT * 9223372036854775808 + log_offset
        ) AS last,
        max(effective_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS place,
        count_if(kind <> 'removed') AS commits, min(effective_log_offset) FILTER (kind <> 'removed') AS first_log_offset
    FROM core.commits CROSS JOIN snapshot_times
    WHERE effective_at IS NOT NULL AND epoch_us(effective_at) <= last_us // step_us * step_us
    GROUP BY ALL
),
commit_spans AS (
    SELECT *, sum(commits) OVER log AS through, max(place) OVER log AS highest_place
    FROM newest_times
    WINDOW log AS (PARTITION BY cluster, group_id, topic, partition ORDER BY step)
),
-- The steps behind which there are no more than nine commits have the last ten. A coordinator's clock may step back:
-- what comes earlier in the log then never replaces what is behind it.
replacements AS (
    SELECT
        cluster, group_id, topic, partition, step, last,
        min(first_log_offset) OVER (
            PARTITION BY cluster, group_id, topic, partition ORDER BY through RANGE BETWEEN 9 PRECEDING AND CURRENT ROW
        ) AS ten_from_log_offset
    FROM commit_spans
    QUALIFY place = highest_place
),
standing_commits AS (
    SELECT
        *, lead(step, 1, last_us // step_us + 1) OVER (
            PARTITION BY cluster, group_id, topic, partition ORDER BY step
        ) AS until_step
    FROM replacements CROSS JOIN snapshot_times
)
SELECT
    cluster, group_id, topic, partition, unnest(last), ten_from_log_offset, unnest(range(step, until_step)) AS instant
FROM standing_commits
