-- Which data partitions are committed in each partition of the offsets topic, in pieces: the logs of one piece together
-- have some million rows in internal.batch_index. A partition of the offsets topic that needs more is in several
-- pieces. Each with the instant from which its lag is to be worked out (NULL: from the first), and that up to which it
-- is final then.
WITH logs AS (
    SELECT cluster, topic, partition, count(*) AS rows FROM internal.batch_index GROUP BY ALL
),
partition_uses AS (
    SELECT DISTINCT log_partition, cluster, topic, partition FROM internal.committed_partitions WHERE commits > 0
),
cuts AS (
    SELECT
        log_partition, cluster, topic, partition, dense_rank() OVER (ORDER BY cluster, topic, partition) AS log,
        (sum(1 + coalesce(rows, 0)) OVER (
            ORDER BY log_partition, cluster, topic, partition ROWS UNBOUNDED PRECEDING
        ) // getvariable('piece_rows'))::BIGINT AS piece
    FROM partition_uses LEFT JOIN logs USING (cluster, topic, partition)
)
SELECT
    *, log_partition AS from_partition, log_partition AS to_partition,
    row_number() OVER (PARTITION BY piece ORDER BY log_partition, log) - 1 AS use
FROM cuts LEFT JOIN frontiers USING (cluster, log_partition, topic, partition)
