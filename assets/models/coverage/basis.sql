-- What answers rest on: of each partition of the offsets topic how much of its history was never seen, since it had
-- been compacted or deleted before it was read, and the newest record (records before Kafka 0.10 have no time but that
-- of their commit); of each store outside Kafka its newest commit; of each data partition that a group has an offset in
-- where its log end is known from.
WITH records AS (
    SELECT
        cluster, log_partition AS partition, count(*) AS records, max(log_offset) + 1 AS end_offset,
        _instant_of(arg_max(coalesce(timestamp_ms, offset_commit.commit_timestamp), log_offset)) AS newest_record_at
    FROM raw.offset_records GROUP BY ALL
),
retired_records AS (
    SELECT cluster, partition, sum(row_count)::BIGINT AS records
    FROM raw.retired_ranges
    WHERE topic = '__consumer_offsets'
    GROUP BY ALL
),
logs AS (
    SELECT
        cluster,
        partition,
        max(end_offset) AS end_offset,
        max(read_at) AS last_read_at,
        sum(batch_count)::BIGINT AS batches,
        sum(batches_set_aside)::BIGINT AS batches_set_aside
    FROM raw.segments WHERE topic = '__consumer_offsets' GROUP BY ALL
),
ends AS (
    SELECT
        cluster, topic, partition,
        CASE
            WHEN bool_or(source IN ('batch', 'segment')) THEN 'segments' WHEN bool_or(source = 'live') THEN 'samples'
        END
            AS log_ends_from
    FROM core.log_ends WHERE until_at IS NULL AND log_end_offset IS NOT NULL GROUP BY ALL
)
SELECT
    cluster,
    '__consumer_offsets' AS topic,
    partition,
    coalesce(greatest(l.end_offset, r.end_offset), 0) AS history_offsets,
    greatest(history_offsets - coalesce(r.records, 0) - coalesce(t.records, 0), 0) AS unseen_offsets,
    coalesce(l.batches_set_aside, 0) AS batches_set_aside,
    coalesce(l.batches, 0) AS batches,
    r.newest_record_at,
    l.last_read_at,
    NULL AS log_ends_from
FROM records AS r
FULL JOIN logs AS l USING (cluster, partition)
LEFT JOIN retired_records AS t USING (cluster, partition)
UNION ALL
SELECT
    cluster, '__consumer_offsets', log_partition, NULL, NULL, NULL, NULL,
    _instant_of(arg_max(timestamp_ms, log_offset)), max(read_at), NULL
FROM raw.external_commits GROUP BY cluster, log_partition
UNION ALL
SELECT o.cluster, o.topic, o.partition, NULL, NULL, NULL, NULL, NULL, NULL, e.log_ends_from
FROM (SELECT DISTINCT cluster, topic, partition FROM mart.offsets_now WHERE topic <> '__consumer_offsets') AS o
LEFT JOIN ends AS e USING (cluster, topic, partition)
ORDER BY cluster, topic, partition
