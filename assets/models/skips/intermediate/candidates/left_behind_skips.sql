-- Keys whose last commit lies before a log start: members never came back to it. The last commit of a key may lie
-- before a log start only where one is known.
WITH last_commits AS (
    SELECT cluster, log_partition, (place % 9223372036854775808)::BIGINT AS log_offset, k.group_id, k.topic, k.partition
    FROM skip_keys AS k SEMI JOIN log_start_history USING (cluster, topic, partition)
    QUALIFY row_number() OVER (PARTITION BY k.cluster, k.group_id, k.topic, k.partition ORDER BY place DESC) = 1
),
committed_offsets AS (
    SELECT
        c.cluster,
        c.group_id,
        c.topic,
        c.partition,
        c.log_partition,
        c.log_offset,
        c.effective_log_offset,
        c.effective_at,
        c.kind, c.committed_offset, c.topic_id
    FROM core.commits AS c JOIN _cardinality_hint('last_commits') USING (cluster, log_partition, log_offset)
)
SELECT
    b.* EXCLUDE (gone_before), 'below_log_start' AS claim_kind, 'log_start' AS cause, log_start_offset AS possible_to,
    greatest(committed_offset, gone_before) AS possible_from, s.is_in_segment, s.known_at, s.expires_at, s.written_at
FROM (
    SELECT
        c.*, max(log_start_offset) FILTER ((known_at <= effective_at) IS NOT TRUE) AS log_start_offset,
        max(log_start_offset) FILTER (known_at <= effective_at) AS gone_before
    FROM committed_offsets AS c JOIN log_start_history AS s USING (cluster, topic, partition)
    WHERE c.committed_offset < s.log_start_offset AND (c.topic_id <> s.topic_id) IS NOT TRUE
    GROUP BY ALL
) AS b
JOIN log_start_history AS s USING (cluster, topic, partition, log_start_offset)
