-- Transactions that no marker had ended where reading stopped: in the offsets topic and in data topics. Their readers
-- stop at the first of them, and so does the cleaner.
WITH in_offsets AS (
    SELECT
        cluster, '__consumer_offsets' AS topic, log_partition AS partition, producer_id, producer_epoch,
        log_offset AS first_offset, last_log_offset AS last_offset, record_count::BIGINT AS records, started_at, age_ms,
        groups, is_gap_free
    FROM core.transactions WHERE outcome = 'open'
),
pending_offsets AS (
    SELECT
        t.cluster, t.partition, t.producer_id, t.first_offset, r.group_id, r.topic, r.partition AS of_partition,
        arg_max(r.offset_commit.offset, r.log_offset) AS pending_offset
    FROM in_offsets AS t
    JOIN raw.offset_records AS r
        ON
            r.cluster = t.cluster AND r.log_partition = t.partition AND r.producer_id = t.producer_id
            AND r.log_offset BETWEEN t.first_offset AND t.last_offset
    WHERE r.offset_commit IS NOT NULL
    GROUP BY ALL
),
hidden_records AS (
    SELECT
        p.cluster, p.partition, p.producer_id, p.first_offset,
        list({
            'group_id': p.group_id, 'topic': p.topic, 'partition': p.of_partition,
            'pending_offset': p.pending_offset, 'current_offset': n.current_offset
        }
        ORDER BY p.group_id, p.topic, p.of_partition) AS pending_commits
    FROM pending_offsets AS p
    LEFT JOIN mart.offsets_now AS n
        ON n.cluster = p.cluster AND n.group_id = p.group_id AND n.topic = p.topic AND n.partition = p.of_partition
    GROUP BY ALL
),
transactions_without_end AS (
    SELECT
        cluster, topic, partition, producer_id,
        coalesce(max(base_offset) FILTER (control_type IN ('COMMIT', 'ABORT')), -1) AS ended_at
    FROM raw.batches
    WHERE is_transactional AND producer_id >= 0
    GROUP BY ALL
    HAVING max(base_offset) FILTER (NOT is_control) > ended_at
),
in_data AS (
    SELECT
        b.cluster, b.topic, b.partition, b.producer_id, max(b.producer_epoch) AS producer_epoch,
        min(b.base_offset) AS first_offset, max(b.last_offset) AS last_offset, sum(b.record_count)::BIGINT AS records,
        _instant_of(arg_min(b.base_timestamp_ms, b.base_offset)) AS started_at
    FROM raw.batches AS b
    JOIN transactions_without_end AS u USING (cluster, topic, partition, producer_id)
    WHERE b.is_transactional AND b.base_offset > u.ended_at
    GROUP BY ALL
),
logs AS (
    SELECT
        b.cluster,
        b.topic,
        b.partition,
        max(b.last_offset) + 1 AS log_end_offset,
        max(_instant_of(b.max_timestamp_ms)) AS newest_at,
        sum(b.last_offset - b.base_offset + 1) FILTER (b.base_offset >= d.first_offset) AS offsets_since,
        d.first_offset
    FROM raw.batches AS b
    JOIN (SELECT cluster, topic, partition, min(first_offset) AS first_offset FROM in_data GROUP BY ALL) AS d
        USING (cluster, topic, partition)
    GROUP BY ALL
),
offsets_ends AS (
    SELECT cluster, topic, partition, max(end_offset) AS log_end_offset
    FROM raw.segments WHERE topic = '__consumer_offsets' GROUP BY ALL
),
transaction_rows AS (
    SELECT t.*, e.log_end_offset, h.pending_commits
    FROM in_offsets AS t
    LEFT JOIN hidden_records AS h USING (cluster, partition, producer_id, first_offset)
    LEFT JOIN offsets_ends AS e USING (cluster, topic, partition)
    UNION ALL BY NAME
    SELECT
        d.*, epoch_ms(l.newest_at) - epoch_ms(d.started_at) AS age_ms, l.log_end_offset,
        l.offsets_since = l.log_end_offset - l.first_offset AS is_gap_free
    FROM in_data AS d JOIN logs AS l USING (cluster, topic, partition)
)
SELECT
    cluster, topic, partition, producer_id, producer_epoch, first_offset, last_offset, records, started_at,
    if(age_ms < 0, 0, age_ms) AS age_ms, groups, pending_commits, last_stable_offset, log_end_offset,
    if(first_offset = last_stable_offset, log_end_offset - first_offset, NULL) AS blocked_offsets, is_gap_free
FROM
    (
        SELECT *, min(first_offset) OVER (PARTITION BY cluster, topic, partition) AS last_stable_offset
        FROM transaction_rows
    )
ORDER BY cluster, topic, partition, first_offset, producer_id
