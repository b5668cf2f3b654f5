-- Records that a reader of committed data finds in ranges of offsets. `ranges` names a table, or a WITH, that has
-- cluster, topic, partition, from_offset and to_offset (half-open). Markers and data of aborted transactions are not
-- counted, nor is what the cleaner took. A batch that a range cuts through counts by its offsets if it has a record at
-- each of them; if not, and wherever batches were not read, were set aside or retired, or a transaction has no known
-- end, the number is NULL.
WITH logs AS MATERIALIZED (
    SELECT *, row_number() OVER () AS log
    FROM
        (
            SELECT DISTINCT cluster, topic, partition
            FROM query_table(ranges)
            WHERE from_offset >= 0 AND from_offset < to_offset
        )
),
log_ranges AS MATERIALIZED (
    SELECT DISTINCT log, from_offset, to_offset
    FROM query_table(ranges) JOIN logs USING (cluster, topic, partition)
    WHERE from_offset >= 0 AND from_offset < to_offset
)
SELECT
    l.cluster, l.topic, l.partition, a.from_offset, a.to_offset, n.records, n.bytes, n.first_record_at, n.last_record_at
FROM log_ranges AS a
JOIN logs AS l USING (log)
LEFT JOIN _record_counts('log_ranges', 'logs') AS n USING (log, from_offset, to_offset)
