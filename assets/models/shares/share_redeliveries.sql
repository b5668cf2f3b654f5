-- Offsets that were delivered more than once in one epoch of the state, as ranges with the same highest count and end.
WITH repeated AS (SELECT * FROM core.share_deliveries WHERE delivery_count >= 2),
edges AS (
    SELECT DISTINCT
        cluster, state_partition, group_id, topic_id, partition, state_epoch, unnest([from_offset, to_offset]) AS edge
    FROM repeated
),
pieces AS (
    SELECT
        * EXCLUDE (edge), edge AS from_offset,
        lead(edge) OVER (
            PARTITION BY cluster, state_partition, group_id, topic_id, partition, state_epoch ORDER BY edge
        ) AS to_offset
    FROM edges
),
counts AS (
    SELECT
        p.*, any_value(r.topic) AS topic, max(r.delivery_count) AS delivery_count,
        arg_max({ 'state': r.delivery_state }, r.record_offset).state AS outcome,
        min(r.written_at) AS first_redelivered_at, max(r.written_at) AS last_written_at,
        min(r.record_offset) AS record_offset, bool_and(r.is_gap_free) AS is_gap_free
    FROM pieces AS p
    JOIN repeated AS r
        ON
            r.cluster = p.cluster AND r.state_partition = p.state_partition AND r.group_id = p.group_id
            AND r.topic_id = p.topic_id AND r.partition = p.partition
            AND r.state_epoch IS NOT DISTINCT FROM p.state_epoch
            AND r.from_offset < p.to_offset AND r.to_offset > p.from_offset
    GROUP BY ALL
),
runs AS (
    SELECT
        *, count_if(begins) OVER (
            PARTITION BY cluster, state_partition, group_id, topic_id, partition, state_epoch ORDER BY from_offset
        ) AS run
    FROM (
        SELECT
            *, (
                lag(to_offset) OVER own = from_offset AND lag(delivery_count) OVER own = delivery_count
                AND lag(outcome) OVER own IS NOT DISTINCT FROM outcome AND lag(record_offset) OVER own = record_offset
            ) IS NOT TRUE AS begins
        FROM counts
        WINDOW own AS (
            PARTITION BY cluster, state_partition, group_id, topic_id, partition, state_epoch ORDER BY from_offset
        )
    )
)
SELECT
    cluster, group_id, any_value(topic) AS topic, topic_id, partition, min(from_offset) AS from_offset,
    max(to_offset) AS to_offset, delivery_count, outcome, min(first_redelivered_at) AS first_redelivered_at,
    max(last_written_at) AS last_written_at, state_epoch, state_partition, record_offset,
    bool_and(is_gap_free) AS is_gap_free
FROM runs
GROUP BY
    cluster, group_id, topic_id, partition, delivery_count, outcome, state_epoch, state_partition, record_offset, run
ORDER BY cluster, group_id, topic, topic_id, partition, record_offset, from_offset
