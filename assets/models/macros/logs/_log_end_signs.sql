-- The instants from which on the end of a data log is known exactly, of each life of the log in the order of time: from
-- `reached_at` through `confirmed_at`, the last round in which brokers gave the same answer (NULL without an answer);
-- the end was not beyond it before `asked_at`. A partition has a sample only where its answer changed; a round is the
-- instant of any sample of the cluster. Of a log that was read whole, and of which no broker was asked, only the last
-- batch is a sign. `offsets_read` are the offsets of batches up to there.
WITH answers AS (
    SELECT s.cluster, s.topic, s.partition, s.sampled_at, s.asked_at, r.asked_at AS confirmed_at
    FROM (
        SELECT
            cluster, topic, partition, sampled_at, coalesce(asked_at, sampled_at) AS asked_at, coalesce(
                lead(sampled_at) OVER (PARTITION BY cluster, topic, partition ORDER BY sampled_at),
                'infinity'::TIMESTAMPTZ
            ) AS next_at
        FROM raw.log_offset_samples
    ) AS s
    ASOF JOIN (
        SELECT cluster, sampled_at, min(coalesce(asked_at, sampled_at)) AS asked_at
        FROM raw.log_offset_samples
        GROUP BY ALL
    ) AS r
        ON r.cluster = s.cluster AND s.next_at > r.sampled_at
),
confirmed_ends AS (
    SELECT
        e.cluster, e.topic, e.partition, e.until_at, e.log_end_offset, min(e.reached_at) AS reached_at,
        min(a.asked_at) AS asked_at, greatest(max(a.confirmed_at), max(e.reached_at)) AS confirmed_at
    FROM core.log_ends AS e
    JOIN answers AS a
        ON a.cluster = e.cluster AND a.topic = e.topic AND a.partition = e.partition AND a.sampled_at = e.reached_at
    WHERE e.source = 'live' AND e.log_end_offset IS NOT NULL
    GROUP BY ALL
),
gap_free_logs AS (
    SELECT
        cluster, topic, partition, max(log_end_offset) FILTER (is_new_log_end) AS log_end_offset,
        max(reached_at) FILTER (is_new_log_end) AS reached_at
    FROM internal.batch_index ANTI JOIN confirmed_ends USING (cluster, topic, partition)
    GROUP BY ALL
    HAVING
        bool_and(source = 'batch')
        AND sum(last_offset::HUGEINT - base_offset + 1) = max(last_offset)::HUGEINT + 1 - min(base_offset)
),
others AS (
    SELECT
        cluster,
        topic,
        partition,
        NULL::TIMESTAMPTZ AS until_at,
        reached_at,
        log_end_offset,
        source,
        is_new_log_end,
        base_offset,
        sum(if(source = 'batch', last_offset::HUGEINT - base_offset + 1, 0)) OVER (
            PARTITION BY cluster, topic, partition ORDER BY log_end_offset
        ) AS offsets_read
    FROM internal.batch_index ANTI JOIN gap_free_logs USING (cluster, topic, partition)
)
SELECT
    o.cluster, o.topic, o.partition, o.until_at, o.reached_at,
    if(o.source = 'live', c.asked_at, o.reached_at) AS asked_at,
    c.confirmed_at,
    o.log_end_offset,
    o.source,
    o.offsets_read
FROM others AS o
LEFT JOIN (FROM confirmed_ends WHERE until_at IS NULL) AS c USING (cluster, topic, partition, log_end_offset)
WHERE o.is_new_log_end AND (o.source = 'batch' OR o.base_offset IS NOT NULL)
UNION ALL BY NAME
SELECT cluster, topic, partition, until_at, reached_at, asked_at, confirmed_at, log_end_offset, 'live' AS source
FROM confirmed_ends WHERE until_at IS NOT NULL
UNION ALL BY NAME
SELECT cluster, topic, partition, reached_at, log_end_offset, 'batch' AS source
FROM gap_free_logs
WHERE reached_at IS NOT NULL
