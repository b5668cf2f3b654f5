-- While the ends of the logs of a piece are not known exactly, in the order of each log.
SELECT u.log, epoch_us(from_at) AS from_at, epoch_us(to_at) AS to_at
FROM core.log_end_bounds
JOIN (SELECT DISTINCT cluster, topic, partition, log FROM status_partitions WHERE piece = getvariable('piece')) AS u
    USING (cluster, topic, partition)
ORDER BY u.log, from_at
