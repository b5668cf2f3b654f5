-- The groups with instants of which rows are missing: from which instant on, and up to which one they are final then.
SELECT
    cluster, group_id, from_at, final_to, first_us, step_us, (last_us - first_us) // step_us AS last_step,
    if(from_at IS NULL, 0, greatest(0, (epoch_us(from_at) - first_us + step_us - 1) // step_us)) AS from_step
FROM frontiers CROSS JOIN status_grid
WHERE from_step <= last_step
