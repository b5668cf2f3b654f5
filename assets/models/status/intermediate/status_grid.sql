-- The instants of mart.group_status: those of internal.offset_snapshots, every second, fourth, eighth one and so on
-- where all together are more than a million rows.
SELECT
    epoch_us(min(taken_at)) AS first_us, epoch_us(max(taken_at)) AS last_us,
    greatest(
        (2 ** ceil(log2(greatest(count(*) / 1000000, 1))))::BIGINT
        * ((last_us - first_us) // greatest(count(DISTINCT taken_at) - 1, 1)), 1
    ) AS step_us
FROM internal.offset_snapshots HAVING count(*) > 0
