-- Offsets that were archived without success. Out of attempts and rejected are told apart by the limit of deliveries
-- that was set then: a group's own, else the brokers'. Without KRaft's log a group's own is not known.
WITH limits AS (
    SELECT cluster, number AS attempts_limit, from_at, coalesce(until_at, 'infinity'::TIMESTAMPTZ) AS until_at
    FROM _settings_over_time() WHERE config_name = 'group.share.delivery.count.limit' AND topic = ''
),
own_limits AS (
    SELECT
        cluster, resource_name AS group_id, try_cast(config_value AS BIGINT) AS own_limit,
        coalesce(changed_at, read_at) AS from_at
    FROM raw.configurations
    WHERE resource_type = 'group' AND config_name = 'share.delivery.count.limit'
    QUALIFY row_number() OVER (
        PARTITION BY cluster, resource_name, coalesce(changed_at, read_at) ORDER BY log_offset DESC NULLS LAST
    ) = 1
),
known_clusters AS (SELECT DISTINCT cluster FROM raw.configurations WHERE source = 'metadata'),
archived AS (
    SELECT
        d.* EXCLUDE (delivery_state, previous_state, previous_count), d.written_at AS archived_at,
        k.cluster IS NOT NULL AS are_groups_known
    FROM core.share_deliveries AS d LEFT JOIN known_clusters AS k USING (cluster)
    WHERE d.delivery_state = 'archived' AND d.previous_state IS DISTINCT FROM 'archived'
),
with_limits AS (
    SELECT a.*, coalesce(o.own_limit, l.attempts_limit) AS attempts_limit
    FROM archived AS a
    ASOF LEFT JOIN own_limits AS o ON o.cluster = a.cluster AND o.group_id = a.group_id AND o.from_at <= a.archived_at
    ASOF LEFT JOIN limits AS l ON l.cluster = a.cluster AND l.from_at <= a.archived_at
)
SELECT
    cluster, group_id, topic, topic_id, partition, from_offset, to_offset,
    CASE
        WHEN delivery_count = 0 THEN 'never_delivered'
        WHEN attempts_limit IS NULL THEN 'unknown'
        WHEN delivery_count < attempts_limit THEN 'rejected'
        ELSE 'out_of_attempts'
    END AS cause,
    if(delivery_count = 0 OR (attempts_limit IS NOT NULL AND are_groups_known), 'proven', 'likely') AS certainty,
    delivery_count, attempts_limit, archived_at, state_epoch, state_partition, record_offset, is_gap_free
FROM with_limits
ORDER BY cluster, group_id, topic, topic_id, partition, record_offset, from_offset
