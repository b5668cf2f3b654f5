-- How far data logs had come at some moments, and could have come at most. `moments_of` names a table of partitions and
-- moments. A commit beyond that, or one of what was not written yet, proves that clocks run apart: then nothing bounds
-- the end.
WITH moments AS (SELECT DISTINCT cluster, topic, partition, moment FROM query_table(moments_of)),
ends AS (
    SELECT
        cluster,
        topic,
        partition,
        moment,
        max(log_end_offset) FILTER (reached_at <= moment AND (until_at > moment) IS NOT FALSE) AS end_then,
        min(log_end_offset) FILTER (reached_at >= moment AND source = 'live') AS end_later
    FROM core.log_ends JOIN _cardinality_hint('moments') USING (cluster, topic, partition)
    WHERE source IN ('batch', 'live')
    GROUP BY ALL
),
later_appends AS (
    SELECT
        cluster, topic, partition, moment, min(base_offset) AS appended_from,
        arg_min(max_timestamp_ms, base_offset) AS appended_ms
    FROM raw.batches JOIN _cardinality_hint('moments') USING (cluster, topic, partition)
    WHERE max_timestamp_ms > epoch_ms(moment)
    GROUP BY ALL
),
bounds AS MATERIALIZED (FROM moments LEFT JOIN later_appends USING (cluster, topic, partition, moment)),
committed_ends AS (
    SELECT
        cluster, topic, partition, moment, max(committed_offset) FILTER (effective_at <= moment) AS declared_to,
        coalesce(bool_or(effective_at > moment AND committed_offset > appended_from), FALSE) AS is_early
    FROM core.commits JOIN _cardinality_hint('bounds') USING (cluster, topic, partition)
    WHERE effective_at <= moment OR epoch_ms(effective_at) < appended_ms
    GROUP BY ALL
)
SELECT
    cluster, topic, partition, moment, end_then, appended_from,
    if(
        is_early IS NOT TRUE AND least(end_later, appended_from) >= coalesce(greatest(declared_to, end_then), 0),
        least(end_later, appended_from), NULL
    ) AS end_most
FROM bounds
LEFT JOIN ends USING (cluster, topic, partition, moment)
LEFT JOIN committed_ends USING (cluster, topic, partition, moment)
