-- Commits that the log that won has no records for, and commits ahead of the log.
WITH epochs AS (
    SELECT cluster, topic, partition, leader_epoch, min(base_offset) AS from_offset
    FROM raw.batches WHERE leader_epoch IS NOT NULL GROUP BY ALL
),
next_epochs AS (
    SELECT
        cluster, topic, partition, leader_epoch, min(from_offset) OVER later AS lost_from,
        arg_min(if(from_offset IS NULL, NULL, leader_epoch), from_offset) OVER later AS next_epoch
    FROM (
        FROM epochs
        UNION ALL BY NAME
        FROM (SELECT DISTINCT cluster, topic, partition, leader_epoch FROM core.commits WHERE leader_epoch IS NOT NULL)
        ANTI JOIN epochs USING (cluster, topic, partition, leader_epoch)
    )
    WINDOW later AS (
        PARTITION BY cluster, topic, partition ORDER BY leader_epoch ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
    )
),
-- A topic that is deleted and made anew begins at offset 0 and epoch 0 again: what was committed of it before is of
-- another log.
topics_now AS (
    SELECT cluster, topic, arg_max(topic_id, coalesce(last_seen_at, '-infinity'::TIMESTAMPTZ)) AS topic_id
    FROM core.topics GROUP BY ALL
),
first_batches AS (
    SELECT cluster, topic, partition, min(make_timestamptz(1000 * base_timestamp_ms)) AS born_at
    FROM raw.batches
    WHERE base_offset = 0 AND coalesce(leader_epoch, 0) = 0 AND base_timestamp_ms BETWEEN 0 AND 253402300799999
    GROUP BY ALL
),
commits AS NOT MATERIALIZED (
    SELECT c.*
    FROM core.commits AS c
    LEFT JOIN topics_now AS t USING (cluster, topic)
    LEFT JOIN first_batches AS b USING (cluster, topic, partition)
    WHERE (c.topic_id <> t.topic_id) IS NOT TRUE AND (c.effective_at < b.born_at) IS NOT TRUE
),
-- A commit names the leader epoch of what was read last: in the log that was read, a later epoch began before that.
lost_end_commits AS (
    SELECT
        c.cluster, 'commit_of_truncated_records' AS kind, c.topic, c.partition, c.group_id, e.lost_from AS from_offset,
        max(c.committed_offset) AS to_offset, e.next_epoch AS archived_epoch, c.leader_epoch AS other_epoch,
        count(*) AS occurrences, min(c.effective_at) AS first_at, 'proven' AS certainty, c.log_partition,
        min(c.log_offset) AS log_offset, max(c.log_offset) AS last_log_offset
    FROM commits AS c
    JOIN next_epochs AS e USING (cluster, topic, partition, leader_epoch)
    WHERE c.committed_offset > e.lost_from
    GROUP BY ALL
),
ends AS (
    SELECT cluster, topic, partition, max(log_end_offset) AS log_end_offset, max(reached_at) AS reached_at
    FROM core.log_ends WHERE log_end_offset IS NOT NULL AND source IN ('batch', 'live') AND until_at IS NULL
    GROUP BY ALL
),
-- The log was appended to after the commit, and has not come so far to this day; within a minute clocks may run apart.
commits_ahead AS (
    SELECT
        c.cluster, 'commit_ahead_of_log' AS kind, c.topic, c.partition, c.group_id, e.log_end_offset AS from_offset,
        max(c.committed_offset) AS to_offset, count(*) AS occurrences, min(c.effective_at) AS first_at,
        if(bool_or(c.effective_at < e.reached_at - INTERVAL 1 MINUTE), 'likely', 'possible') AS certainty,
        c.log_partition,
        min(c.log_offset) AS log_offset, max(c.log_offset) AS last_log_offset
    FROM commits AS c
    JOIN ends AS e USING (cluster, topic, partition)
    WHERE c.committed_offset > e.log_end_offset AND c.effective_at < e.reached_at
    GROUP BY ALL
)
FROM lost_end_commits
UNION ALL BY NAME
FROM commits_ahead
