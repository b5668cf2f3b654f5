-- What the commits of each key come to: those of `new_rows` together with what `earlier_sums` says of the others.
WITH new_sums AS (
    SELECT
        cluster, log_partition, group_id, topic, partition,
        count_if(kind <> 'removed') AS commits, count_if(kind = 'removed') AS removals,
        count_if(kind = 'rewind') AS rewinds,
        count(leader_epoch) FILTER (kind IN ('advance', 'repeat')) AS steps_with_epoch,
        count_if(leader_epoch IS NULL AND kind = 'advance') AS advances_without_epoch,
        min(log_offset) AS first_log_offset, max(log_offset) AS last_log_offset,
        max(effective_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS last_row,
        min(effective_at) AS first_at, max(effective_at) AS last_at,
        min(effective_log_offset) FILTER (kind <> 'removed') AS commits_from,
        max(effective_log_offset) FILTER (kind <> 'removed') AS commits_to,
        min(effective_at) FILTER (kind <> 'removed') AS first_commit_at,
        max(effective_at) FILTER (kind <> 'removed') AS last_commit_at,
        min(effective_log_offset) FILTER (kind = 'removed') AS first_removal,
        max(effective_log_offset) FILTER (kind = 'first') AS last_beginning
    FROM new_rows
    GROUP BY ALL
),
sums AS (
    FROM new_sums
    UNION ALL BY NAME
    SELECT
        * EXCLUDE (newest_effective_log_offset, newest_log_offset),
        newest_effective_log_offset::HUGEINT * 9223372036854775808 + newest_log_offset AS last_row
    FROM earlier_sums
)
SELECT
    cluster, log_partition, group_id, topic, partition,
    sum(commits)::BIGINT AS commits, sum(removals)::BIGINT AS removals, sum(rewinds)::BIGINT AS rewinds,
    sum(steps_with_epoch)::BIGINT AS steps_with_epoch, sum(advances_without_epoch)::BIGINT AS advances_without_epoch,
    min(first_log_offset) AS first_log_offset, max(last_log_offset) AS last_log_offset,
    (max(last_row) // 9223372036854775808)::BIGINT AS newest_effective_log_offset,
    (max(last_row) % 9223372036854775808)::BIGINT AS newest_log_offset,
    min(first_at) AS first_at, max(last_at) AS last_at,
    min(commits_from) AS commits_from, max(commits_to) AS commits_to,
    min(first_commit_at) AS first_commit_at, max(last_commit_at) AS last_commit_at,
    min(first_removal) AS first_removal, max(last_beginning) AS last_beginning
FROM sums
GROUP BY ALL
ORDER BY ALL
