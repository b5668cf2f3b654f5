-- Of groups whose older stores stay: the commits behind the last instant that has a store, up to the last one of the
-- grid.
SELECT c.*, (epoch_us(f.from_at) + step_us - 1) // step_us AS from_step
FROM core.commits AS c JOIN frontiers AS f USING (cluster, log_partition, group_id) CROSS JOIN snapshot_times
WHERE
    c.effective_at > getvariable('read_from') AND c.effective_at <= getvariable('read_to')
    AND epoch_us(c.effective_at) > ((epoch_us(f.from_at) + step_us - 1) // step_us - 1) * step_us
