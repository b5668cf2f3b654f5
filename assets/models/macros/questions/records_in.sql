-- Records that a reader of committed data finds in ranges of offsets. `ranges` names a table, or a WITH, that has cluster,
-- topic, partition, from_offset and to_offset (half-open). Markers and data of aborted transactions are not counted, nor
-- is what the cleaner took. A batch that a range cuts through counts by its offsets if it has a record at each of them; if
-- not, and wherever batches were not read, were set aside or retired, or a transaction has no known end, the number is NULL.
WITH asked AS (
    SELECT DISTINCT cluster, topic, partition, from_offset, to_offset
    FROM query_table(ranges) WHERE from_offset >= 0 AND from_offset < to_offset
),
places AS (SELECT DISTINCT cluster, topic, partition FROM asked),
retired AS (SELECT cluster, topic, partition, max(to_offset) AS to_offset FROM raw.retired_ranges GROUP BY ALL),
-- Stretches of the log without anything between them that was not read.
seen AS (
    SELECT cluster, topic, partition, min(from_offset) AS from_offset, max(end_offset) AS to_offset
    FROM (
        SELECT *, count_if(is_new) OVER (PARTITION BY cluster, topic, partition ORDER BY from_offset, end_offset) AS island
        FROM (
            SELECT s.cluster, s.topic, s.partition, greatest(s.from_offset, r.to_offset) AS from_offset, s.end_offset,
                   coalesce(greatest(s.from_offset, r.to_offset) > max(s.end_offset) OVER (
                       PARTITION BY s.cluster, s.topic, s.partition ORDER BY s.from_offset, s.end_offset
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ), TRUE) AS is_new
            FROM raw.segments AS s
            SEMI JOIN places USING (cluster, topic, partition)
            LEFT JOIN retired AS r USING (cluster, topic, partition)
            WHERE s.quarantined_count = 0 AND s.end_offset > greatest(s.from_offset, r.to_offset)
        )
    )
    GROUP BY cluster, topic, partition, island
),
covered AS (
    SELECT a.*, s.to_offset AS seen_to
    FROM asked AS a
    JOIN seen AS s
        ON s.cluster = a.cluster AND s.topic = a.topic AND s.partition = a.partition
        AND s.from_offset <= a.from_offset AND s.to_offset >= a.to_offset
),
batches AS (
    SELECT c.*, b.base_offset, b.last_offset, b.record_count, b.producer_id, b.is_transactional, b.is_control, b.size_bytes,
           b.base_timestamp_ms, b.max_timestamp_ms
    FROM covered AS c
    JOIN raw.batches AS b
        ON b.cluster = c.cluster AND b.topic = c.topic AND b.partition = c.partition
        AND b.last_offset >= c.from_offset AND b.base_offset < c.to_offset
),
markers AS (
    SELECT cluster, topic, partition, producer_id, base_offset, control_type
    FROM raw.batches SEMI JOIN places USING (cluster, topic, partition)
    WHERE control_type IN ('COMMIT', 'ABORT')
),
-- The cleaner keeps a marker as long as anything of its transaction is left, so the next one is the transaction's own.
outcomes AS (
    SELECT b.*, m.base_offset AS ended_at, m.control_type AS outcome
    FROM (FROM batches WHERE is_transactional) AS b
    ASOF LEFT JOIN markers AS m
        ON m.cluster = b.cluster AND m.topic = b.topic AND m.partition = b.partition AND m.producer_id = b.producer_id
        AND m.base_offset > b.last_offset
),
ended AS (
    SELECT *, CASE WHEN is_control OR record_count = 0 THEN 0
                   WHEN NOT is_transactional THEN record_count
                   WHEN ended_at >= seen_to THEN NULL
                   WHEN outcome = 'ABORT' THEN 0
                   WHEN outcome = 'COMMIT' THEN record_count END AS records
    FROM (FROM outcomes UNION ALL BY NAME FROM batches WHERE is_transactional IS NOT TRUE)
),
counted AS (
    SELECT *, CASE WHEN records = 0 OR (base_offset >= from_offset AND last_offset < to_offset) THEN records
                   WHEN records - 1 = last_offset - base_offset
                   THEN least(last_offset, to_offset - 1) - greatest(base_offset, from_offset) + 1 END AS inside
    FROM ended
)
SELECT a.cluster, a.topic, a.partition, a.from_offset, a.to_offset,
       if(c.seen_to IS NULL OR count(b.base_offset) > count(b.inside), NULL, _saturated(coalesce(sum(b.inside), 0))) AS records,
       if(c.seen_to IS NULL, NULL, _saturated(coalesce(sum(b.size_bytes) FILTER (b.records IS DISTINCT FROM 0), 0))) AS bytes,
       min(make_timestamptz(b.base_timestamp_ms * 1000)) FILTER (
           b.records IS DISTINCT FROM 0 AND b.base_timestamp_ms BETWEEN 0 AND 253402300799999
       ) AS first_record_at,
       max(make_timestamptz(b.max_timestamp_ms * 1000)) FILTER (
           b.records IS DISTINCT FROM 0 AND b.max_timestamp_ms BETWEEN 0 AND 253402300799999
       ) AS last_record_at
FROM asked AS a
LEFT JOIN covered AS c USING (cluster, topic, partition, from_offset, to_offset)
LEFT JOIN counted AS b USING (cluster, topic, partition, from_offset, to_offset)
GROUP BY a.cluster, a.topic, a.partition, a.from_offset, a.to_offset, c.seen_to
