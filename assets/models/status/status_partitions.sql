-- The keys that are committed, from when on, in pieces of whole groups: the logs of one piece together have some
-- million rows in internal.batch_index. Instants are those of internal.offset_snapshots, every so many-th where all
-- together are more than a million rows.
WITH grid AS (
    SELECT
        epoch_us(min(taken_at)) AS first_us, epoch_us(max(taken_at)) AS last_us,
        (count(*) + 999999) // 1000000 * (last_us - first_us) // greatest(count(DISTINCT taken_at) - 1, 1) AS step_us
    FROM internal.offset_snapshots HAVING count(*) > 0
),
logs AS (
    SELECT cluster, topic, partition, count(*) AS rows FROM internal.batch_index GROUP BY ALL
),
keys AS (
    SELECT
        cluster, group_id, topic, partition, epoch_us(min(effective_at)) AS first_at_us,
        min(log_partition) AS from_partition, max(log_partition) AS to_partition
    FROM core.commits
    WHERE effective_at IS NOT NULL AND kind <> 'removed'
    GROUP BY ALL
),
partition_logs AS (
    SELECT *, min(from_partition) OVER (PARTITION BY cluster, group_id) AS place FROM keys
),
cuts AS (
    SELECT
        k.*, dense_rank() OVER (ORDER BY cluster, topic, partition) AS log,
        (sum(1 + coalesce(rows, 0)) OVER (ORDER BY place, cluster, group_id) // getvariable('piece_rows'))::BIGINT
            AS piece
    FROM partition_logs AS k LEFT JOIN logs USING (cluster, topic, partition)
)
SELECT
    c.*, row_number() OVER (PARTITION BY piece ORDER BY place, cluster, group_id, topic, partition) - 1 AS use,
    greatest(0, if(step_us = 0, 0, (first_at_us - first_us + step_us - 1) // step_us)) AS first_step,
    if(step_us = 0, 0, (last_us - first_us) // step_us) AS last_step, first_us, step_us
FROM cuts AS c, grid
