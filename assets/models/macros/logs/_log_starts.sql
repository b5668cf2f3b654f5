-- Offsets at which data logs began at some time, by checkpoints and brokers, and what records tell of when. The time at
-- which a checkpoint was read tells nothing. `partitions_of` names a table of the partitions that matter.
WITH partitions AS (SELECT DISTINCT cluster, topic, partition FROM query_table(partitions_of)),
copies AS (
    SELECT *, count(log_start_offset) OVER (PARTITION BY cluster, topic, partition, broker_id) > 0 AS has_moved
    FROM (
        SELECT
            cluster, topic, partition, broker_id, topic_id, log_start_offset, min(base_offset) AS first_offset,
            max(end_offset) AS end_offset,
            coalesce(bool_or(base_offset < log_start_offset AND end_offset > log_start_offset), FALSE) AS is_in_segment
        FROM raw.segments SEMI JOIN partitions USING (cluster, topic, partition)
        WHERE source = 'file'
        GROUP BY ALL
    )
),
-- A longer copy on another broker that begins earlier contradicts a start: whoever led the partition then still had the
-- records.
contradictions AS (
    SELECT DISTINCT c.cluster, c.topic, c.partition, c.broker_id, c.log_start_offset
    FROM copies AS c
    JOIN copies AS o USING (cluster, topic, partition)
    WHERE
        o.broker_id <> c.broker_id AND o.end_offset > c.end_offset AND (o.topic_id <> c.topic_id) IS NOT TRUE
        AND if(o.has_moved, o.log_start_offset, o.first_offset) < c.log_start_offset
),
starts AS MATERIALIZED (
    SELECT
        cluster, topic, partition, log_start_offset, if(min(topic_id) = max(topic_id), min(topic_id), NULL) AS topic_id,
        min(sampled_at) AS known_at, max(sampled_at) AS sampled_at, max(end_offset) AS end_offset,
        bool_or(is_in_segment) AS is_in_segment
    FROM (
        FROM copies ANTI JOIN contradictions USING (cluster, topic, partition, broker_id, log_start_offset)
        UNION ALL BY NAME
        SELECT cluster, topic, partition, topic_id, log_start_offset, reached_at AS sampled_at, FALSE AS is_in_segment
        FROM core.log_ends SEMI JOIN partitions USING (cluster, topic, partition)
        WHERE source = 'live'
    )
    WHERE log_start_offset IS NOT NULL
    GROUP BY ALL
),
-- A copy is no older than its last batch. What lies before the start was written between two batches, or answers of a
-- broker.
dates AS (
    SELECT
        s.cluster, s.topic, s.partition, s.log_start_offset,
        max(e.reached_at) FILTER (e.source = 'batch' AND e.log_end_offset <= s.end_offset) AS copied_at,
        max(e.reached_at) FILTER (e.source = 'batch' AND e.log_end_offset <= s.log_start_offset) AS written_at,
        min(e.reached_at) FILTER (e.log_end_offset >= s.log_start_offset) AS written_by
    FROM core.log_ends AS e JOIN _cardinality_hint('starts') AS s USING (cluster, topic, partition)
    WHERE e.source IN ('batch', 'live') AND e.until_at IS NULL
    GROUP BY ALL
),
-- When retention could have taken the records before a start, by what was set then.
expiries AS (
    SELECT cluster, topic, partition, log_start_offset, min(expires_at) AS expires_at
    FROM (
        SELECT
            d.cluster, d.topic, d.partition, d.log_start_offset, r.until_at,
            greatest(d.written_by + to_milliseconds(r.retention_ms), r.from_at) AS expires_at
        FROM dates AS d JOIN retention_of('partitions') AS r USING (cluster, topic)
        WHERE d.written_by IS NOT NULL AND r.retention_ms IS NOT NULL
    )
    WHERE until_at IS NULL OR expires_at < until_at
    GROUP BY ALL
)
SELECT
    s.cluster,
    s.topic,
    s.partition,
    s.topic_id,
    s.log_start_offset,
    s.known_at,
    greatest(s.sampled_at, d.copied_at) AS still_at,
    s.is_in_segment, d.written_at, d.written_by, x.expires_at
FROM starts AS s
LEFT JOIN dates AS d USING (cluster, topic, partition, log_start_offset)
LEFT JOIN expiries AS x USING (cluster, topic, partition, log_start_offset)
