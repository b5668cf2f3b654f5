-- The segments of the offsets topic as they were when they were read last.
WITH reads AS (
    SELECT
        * REPLACE (coalesce(end_offset, base_offset) AS end_offset),
        max(read_at) FILTER (start_position = 0) OVER file AS begun_at,
        arg_max(path, { 'read_at': read_at, 'modified_ms': modified_ms }) FILTER (start_position = 0)
            OVER file
            AS begun_in
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source IN ('file', 'live') AND file_suffix IS NULL
    WINDOW file AS (PARTITION BY cluster, partition, broker_id, base_offset)
)
SELECT * FROM (
    SELECT
        *, max(end_offset) OVER (
            PARTITION BY cluster, partition, broker_id ORDER BY base_offset
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS covered_to
    FROM reads
    WHERE coalesce(read_at > begun_at OR (read_at = begun_at AND path = begun_in), begun_at IS NULL)
)
WHERE covered_to IS NULL OR covered_to <= base_offset
