-- What internal.batch_index has of the logs of a piece, in the order of each log, as numbers.
SELECT
    u.log,
    is_new_log_end::BIGINT AS is_new_log_end,
    log_end_offset,
    epoch_us(reached_at) AS reached_at,
    last_stable_offset,
    (source = 'batch')::BIGINT AS is_batch, base_offset, last_offset, seen_from, records_lower, records_upper, bytes,
    epoch_us(earliest_at) AS earliest_at, epoch_us(first_latest_at) AS first_latest_at,
    epoch_us(latest_at) AS latest_at, epoch_us(next_earliest_at) AS next_earliest_at,
    epoch_us(next_latest_at) AS next_latest_at, records_lower_through, records_upper_through, bytes_through,
    unseen_through, stable_lower_through, stable_upper_through, stable_bytes_through, stable_unseen_through
FROM
    (
        FROM internal.batch_index
        SEMI JOIN (SELECT DISTINCT topic FROM lag_partitions WHERE piece = getvariable('piece')) USING (topic)
    )
JOIN (SELECT DISTINCT cluster, topic, partition, log FROM lag_partitions WHERE piece = getvariable('piece')) AS u
    USING (cluster, topic, partition)
ORDER BY u.log, log_end_offset, source
