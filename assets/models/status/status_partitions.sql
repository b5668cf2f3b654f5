-- The keys of groups with instants of which rows are missing, from the first such instant on, in pieces of whole
-- groups: the logs of one piece together have some million rows in internal.batch_index from there on. Log ends matter
-- from `looked_from` on: at the commits of the first window, and when its instant looks at them.
WITH logs AS (
    SELECT cluster, topic, partition, count(*) AS rows
    FROM internal.batch_index
    WHERE
        reached_at >= (
            SELECT if(count(from_at) = count(*), min(from_at), '-infinity'::TIMESTAMPTZ) FROM status_groups
        )
    GROUP BY ALL
),
keys AS (
    SELECT
        c.cluster, c.group_id, c.topic, c.partition, epoch_us(min(c.effective_at)) AS first_at_us,
        any_value(s.effective_from) AS effective_from, any_value(s.ten_from_log_offset) AS ten_from_log_offset,
        min(c.log_partition) AS from_partition, max(c.log_partition) AS to_partition
    FROM (FROM core.commits SEMI JOIN status_groups USING (cluster, group_id)) AS c
    LEFT JOIN status_carries AS s USING (cluster, group_id, topic, partition)
    WHERE
        c.kind <> 'removed'
        AND if(
            s.effective_from IS NULL, c.effective_at IS NOT NULL,
            c.effective_at >= s.effective_from OR c.effective_log_offset >= s.ten_from_log_offset
        )
    GROUP BY ALL
),
partition_logs AS (
    SELECT
        k.*, g.first_us, g.step_us, g.last_step, min(k.from_partition) OVER (PARTITION BY cluster, group_id) AS place,
        greatest(g.from_step, (k.first_at_us - g.first_us + g.step_us - 1) // g.step_us) AS first_step,
        make_timestamptz(least(k.first_at_us, g.first_us + first_step * g.step_us - 90000000)) AS looked_from
    FROM keys AS k JOIN status_groups AS g USING (cluster, group_id)
    WHERE first_step <= g.last_step
),
cuts AS (
    SELECT
        k.*, dense_rank() OVER (ORDER BY cluster, topic, partition) AS log,
        (sum(1 + coalesce(rows, 0)) OVER (ORDER BY place, cluster, group_id) // getvariable('piece_rows'))::BIGINT
            AS piece
    FROM partition_logs AS k LEFT JOIN logs USING (cluster, topic, partition)
)
SELECT
    *, row_number() OVER (PARTITION BY piece ORDER BY place, cluster, group_id, topic, partition) - 1 AS use
FROM cuts
