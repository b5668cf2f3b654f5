-- When the logs of a piece reached which end, in the order of each log.
SELECT u.log, epoch_us(reached_at) AS reached_at, log_end_offset
FROM
    (
        FROM internal.batch_index
        SEMI JOIN (SELECT DISTINCT topic FROM status_partitions WHERE piece = getvariable('piece')) USING (topic)
    )
JOIN (SELECT DISTINCT cluster, topic, partition, log FROM status_partitions WHERE piece = getvariable('piece')) AS u
    USING (cluster, topic, partition)
WHERE is_new_log_end
ORDER BY u.log, reached_at
