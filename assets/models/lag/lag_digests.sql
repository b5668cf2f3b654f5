-- For each partition whose lag is final up to an instant: a digest of all that this lag rests on. These are its commits
-- and stores before the instant, where the log began and ended, and every stretch of the log that begins before the
-- farthest of these ends.
WITH logs AS (SELECT DISTINCT cluster, topic, partition, final_to FROM asked_frontiers),
end_bounds AS (
    SELECT
        l.cluster, l.topic, l.partition, l.final_to, sum(hash(b)::HUGEINT) AS digest,
        max(b.log_end_upper) AS farthest_end
    FROM logs AS l JOIN core.log_end_bounds AS b USING (cluster, topic, partition)
    WHERE b.from_at < l.final_to
    GROUP BY ALL
),
starts AS (
    SELECT
        l.cluster, l.topic, l.partition, l.final_to, sum(hash(s.reached_at, s.log_start_offset)::HUGEINT) AS digest
    FROM logs AS l JOIN core.log_ends AS s USING (cluster, topic, partition)
    WHERE s.log_start_offset IS NOT NULL AND s.reached_at < l.final_to
    GROUP BY ALL
),
farthest_ends AS (
    SELECT
        l.cluster, l.topic, l.partition, l.final_to,
        greatest(any_value(b.farthest_end), max(i.log_end_offset)) AS farthest_end
    FROM logs AS l
    LEFT JOIN end_bounds AS b USING (cluster, topic, partition, final_to)
    LEFT JOIN internal.batch_index AS i
        ON i.cluster = l.cluster AND i.topic = l.topic AND i.partition = l.partition AND i.reached_at < l.final_to
    GROUP BY ALL
),
stretches AS (
    SELECT l.cluster, l.topic, l.partition, l.final_to, sum(hash(i)::HUGEINT) AS digest
    FROM farthest_ends AS l JOIN internal.batch_index AS i USING (cluster, topic, partition)
    WHERE
        i.reached_at IS NULL OR i.reached_at < l.final_to OR i.base_offset < l.farthest_end
        OR i.log_end_offset <= l.farthest_end
    GROUP BY ALL
),
stores AS (
    SELECT
        f.cluster, f.log_partition, f.topic, f.partition,
        sum(hash(s.taken_at, s.group_id, s.log_offset, s.committed_offset)::HUGEINT) AS digest
    FROM asked_frontiers AS f JOIN internal.offset_snapshots AS s USING (cluster, log_partition, topic, partition)
    WHERE s.kind <> 'removed' AND s.is_known AND s.taken_at < f.final_to
    GROUP BY ALL
)
SELECT
    f.cluster, f.log_partition, f.topic, f.partition,
    concat(f.commits_digest, '/', b.digest, '/', s.digest, '/', t.digest, '/', g.digest) AS digest
FROM lag_commit_sums AS f
LEFT JOIN end_bounds AS b USING (cluster, topic, partition, final_to)
LEFT JOIN starts AS s USING (cluster, topic, partition, final_to)
LEFT JOIN stretches AS t USING (cluster, topic, partition, final_to)
LEFT JOIN stores AS g USING (cluster, log_partition, topic, partition)
