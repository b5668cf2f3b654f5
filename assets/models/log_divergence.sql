-- What contradicts: copies of a log that say different things, commits that the log that won knows nothing of, commits ahead
-- of the log, and groups in a partition of the offsets topic that their ids don't belong in.
WITH copies AS (
    SELECT d.cluster, d.topic, d.partition, d.broker_id, d.path, d.base_offset AS from_offset, d.last_offset + 1 AS to_offset,
           b.leader_epoch AS archived_epoch, d.leader_epoch AS other_epoch, d.read_at
    FROM raw.diverged_batches AS d
    LEFT JOIN raw.batches AS b
        ON b.cluster = d.cluster AND b.topic = d.topic AND b.partition = d.partition
        AND b.base_offset <= d.base_offset AND b.last_offset >= d.base_offset
    UNION ALL
    SELECT d.cluster, '__consumer_offsets', d.log_partition, d.broker_id, d.path, d.log_offset, d.log_offset + 1,
           r.log_leader_epoch, d.log_leader_epoch, d.read_at
    FROM raw.diverged_records AS d
    LEFT JOIN raw.offset_records AS r USING (cluster, log_partition, log_offset)
),
copied AS (
    SELECT c.cluster, CASE WHEN o.cluster IS NOT NULL THEN 'two_installations'
                           WHEN archived_epoch <> other_epoch THEN 'truncated_records' ELSE 'copies_differ' END AS kind,
           topic, partition, broker_id, path, min(from_offset) AS from_offset, max(to_offset) AS to_offset,
           min(archived_epoch) AS archived_epoch, min(other_epoch) AS other_epoch, count(DISTINCT from_offset) AS occurrences,
           min(c.read_at) AS first_at, coalesce(o.certainty, 'proven') AS certainty
    FROM copies AS c
    LEFT JOIN other_installations() AS o
        ON o.cluster = c.cluster AND o.log_directory = regexp_replace(c.path, '/[^/]+/[^/]+$', '')
    GROUP BY ALL
),
epochs AS (
    SELECT cluster, topic, partition, leader_epoch, min(base_offset) AS from_offset
    FROM raw.batches WHERE leader_epoch IS NOT NULL GROUP BY ALL
),
next_epochs AS (
    SELECT cluster, topic, partition, leader_epoch, min(from_offset) OVER later AS lost_from,
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
-- A topic that is deleted and made anew begins at offset 0 and epoch 0 again: what was committed of it before is of another log.
topics_now AS (
    SELECT cluster, topic, arg_max(topic_id, coalesce(last_seen_at, '-infinity'::TIMESTAMPTZ)) AS topic_id
    FROM core.topics GROUP BY ALL
),
born AS (
    SELECT cluster, topic, partition, min(make_timestamptz(1000 * base_timestamp_ms)) AS born_at
    FROM raw.batches
    WHERE base_offset = 0 AND coalesce(leader_epoch, 0) = 0 AND base_timestamp_ms BETWEEN 0 AND 253402300799999
    GROUP BY ALL
),
commits AS NOT MATERIALIZED (
    SELECT c.*
    FROM core.commits AS c
    LEFT JOIN topics_now AS t USING (cluster, topic)
    LEFT JOIN born AS b USING (cluster, topic, partition)
    WHERE (c.topic_id <> t.topic_id) IS NOT TRUE AND (c.effective_at < b.born_at) IS NOT TRUE
),
-- A commit names the leader epoch of what was read last: in the log that was read, a later epoch began before that.
lost AS (
    SELECT c.cluster, 'commit_of_truncated_records' AS kind, c.topic, c.partition, c.group_id, e.lost_from AS from_offset,
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
ahead AS (
    SELECT c.cluster, 'commit_ahead_of_log' AS kind, c.topic, c.partition, c.group_id, e.log_end_offset AS from_offset,
           max(c.committed_offset) AS to_offset, count(*) AS occurrences, min(c.effective_at) AS first_at,
           if(bool_or(c.effective_at < e.reached_at - INTERVAL 1 MINUTE), 'likely', 'possible') AS certainty, c.log_partition,
           min(c.log_offset) AS log_offset, max(c.log_offset) AS last_log_offset
    FROM commits AS c
    JOIN ends AS e USING (cluster, topic, partition)
    WHERE c.committed_offset > e.log_end_offset AND c.effective_at < e.reached_at
    GROUP BY ALL
),
groups AS (
    SELECT cluster, group_id, log_partition, min(log_offset) AS log_offset, max(log_offset) AS last_log_offset,
           count(*) AS occurrences, min(occurred_at) AS first_at
    FROM (
        SELECT cluster, group_id, log_partition, log_offset, effective_at AS occurred_at FROM core.commits
        UNION ALL
        SELECT cluster, group_id, log_partition, log_offset, from_at FROM core.group_states WHERE source IS DISTINCT FROM 'server.log'
    )
    GROUP BY ALL
),
hashes AS MATERIALIZED (SELECT *, java_hash(group_id) AS hashed FROM groups),
told AS (
    SELECT cluster, max(partition_count) AS partitions, 'proven' AS certainty
    FROM raw.log_offset_samples WHERE topic = '__consumer_offsets' GROUP BY ALL
),
-- Where no broker said how many partitions there are: the number by which most of some groups are where they belong.
guessed AS (
    SELECT cluster, partitions, count_if(home_partition(hashed, partitions) = log_partition) AS fitting, count(*) AS asked
    FROM (FROM hashes WHERE cluster NOT IN (SELECT cluster FROM told)
          QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY hash(group_id), group_id) <= 100),
         (SELECT unnest(generate_series(1, 1000)) AS partitions)
    GROUP BY ALL HAVING partitions > max(log_partition)
),
counts AS (
    FROM told
    UNION ALL
    SELECT cluster, partitions, 'likely'
    FROM (FROM guessed QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY fitting DESC, partitions = 50 DESC, partitions) = 1)
    WHERE fitting >= 5 AND fitting * 2 > asked
),
misplaced AS (
    SELECT g.cluster, 'group_in_wrong_partition' AS kind, '__consumer_offsets' AS topic, g.log_partition AS partition,
           g.group_id, g.log_offset AS from_offset, g.last_log_offset + 1 AS to_offset, g.occurrences, g.first_at,
           c.certainty, g.log_partition, g.log_offset, g.last_log_offset,
           home_partition(g.hashed, c.partitions)::INT AS home_partition
    FROM hashes AS g JOIN counts AS c USING (cluster)
    WHERE home_partition <> g.log_partition
)
SELECT cluster, kind, topic, partition, group_id, from_offset, to_offset, broker_id, path, archived_epoch, other_epoch,
       home_partition, occurrences, first_at, certainty, log_partition, log_offset, last_log_offset
FROM (
    FROM copied UNION ALL BY NAME FROM lost UNION ALL BY NAME FROM ahead UNION ALL BY NAME FROM misplaced
)
ORDER BY ALL
