-- The log end behind each batch, the largest timestamp up to it, and whether there is no gap before it.
SELECT
    cluster, topic, partition, base_offset, leader_epoch,
    CASE WHEN last_offset < 9223372036854775807 THEN last_offset + 1 END AS log_end_offset,
    max(max_timestamp_ms) OVER log AS reached_ms, bool_and(follows) OVER log AS is_gap_free
FROM (
    SELECT *, base_offset <= coalesce(lag(last_offset) OVER log, -1) + 1 AS follows
    FROM log_batches() WHERE lost_to IS NULL
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
)
WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY base_offset)
