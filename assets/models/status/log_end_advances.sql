-- When the logs of a piece reached which end, in the order of each log; what an end had come to before anybody looks at
-- it stands at the first look.
SELECT
    u.log, epoch_us(greatest(reached_at, u.looked_from)) AS reached_at, max(log_end_offset) AS log_end_offset
FROM
    (
        FROM internal.batch_index
        SEMI JOIN (SELECT DISTINCT topic FROM status_partitions WHERE piece = getvariable('piece')) USING (topic)
    )
JOIN (
    SELECT cluster, topic, partition, log, min(looked_from) AS looked_from
    FROM status_partitions
    WHERE piece = getvariable('piece')
    GROUP BY ALL
) AS u USING (cluster, topic, partition)
WHERE is_new_log_end
GROUP BY ALL
ORDER BY ALL
