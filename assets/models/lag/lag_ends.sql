-- While the ends of the logs of a piece are not known exactly: between which offsets they were, in the order of each
-- log.
SELECT u.log, epoch_us(from_at) AS from_at, epoch_us(to_at) AS to_at, log_end_lower, log_end_upper
FROM core.log_end_bounds
JOIN (SELECT DISTINCT cluster, topic, partition, log FROM lag_partitions WHERE piece = getvariable('piece')) AS u
    USING (cluster, topic, partition)
ORDER BY u.log, from_at
