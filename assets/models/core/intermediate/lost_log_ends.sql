-- An end that was lost was there as long as its leader gave signs, and gone when the one that it was lost to did.
-- Nobody can tell when in between.
SELECT
    cluster, topic, partition, leader_epoch, lost_to, last_offset + 1 AS log_end_offset,
    max(max_timestamp_ms) OVER (
        PARTITION BY cluster, topic, partition, leader_epoch ORDER BY base_offset
    ) AS reached_ms
FROM log_batches() WHERE lost_to IS NOT NULL AND last_offset < 9223372036854775807
