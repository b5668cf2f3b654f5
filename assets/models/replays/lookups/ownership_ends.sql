-- Where an owner of a partition ended, or began anew with an eager rebalance, and who came next: `until_log_offset` is
-- where it ended, `from_log_offset` where the next one began at the latest. Names are numbered by `key`, since numbers
-- are sorted in a fifth of the time.
WITH keys AS MATERIALIZED (
    SELECT *, row_number() OVER () - 1 AS key, dense_rank() OVER (ORDER BY cluster, log_partition, group_id) AS grp
    FROM (
        SELECT DISTINCT cluster, log_partition, group_id, topic, partition FROM _owners()
        WHERE
            topic IS NOT NULL
            AND log_partition BETWEEN coalesce(getvariable('from_partition'), -2147483648) AND coalesce(
                getvariable('to_partition'), 2147483647
            )
    )
),
numbered_owners AS MATERIALIZED (
    SELECT k.key, k.grp, o.*
    FROM _owners() AS o
    JOIN keys AS k USING (cluster, log_partition, group_id, topic, partition)
),
changes AS (
    SELECT
        key, member_id, client_id, client_host, owned_log_offset, is_owner_known, seen_at, generation_before,
        'handed_over' AS claim_kind,
        end_reason,
        is_end_known,
        coalesce(until_log_offset, next.log_offset) AS until_log_offset,
        coalesce(until_at, next.seen_at) AS until_at, if(is_same_topic, next.log_offset, NULL) AS next_log_offset,
        if(is_same_topic, next.seen_at, NULL) AS next_at, if(is_same_topic, next.generation, NULL) AS generation_after,
        if(is_same_topic, next.member_id, NULL) AS next_member_id,
        coalesce(is_same_topic AND next.from_log_offset IS NOT NULL, FALSE) AS is_start_known
    FROM (
        SELECT *, coalesce(topic_id = next.topic_id, TRUE) AS is_same_topic
        FROM (
            SELECT
                key, member_id, client_id, client_host, log_offset AS owned_log_offset,
                from_log_offset IS NOT NULL AS is_owner_known, seen_at, topic_id,
                last_generation AS generation_before,
                end_reason,
                to_log_offset IS NOT NULL AS is_end_known,
                until_log_offset,
                until_at, lead({
                    'log_offset': log_offset, 'seen_at': seen_at, 'generation': generation, 'member_id': member_id,
                    'from_log_offset': from_log_offset, 'topic_id': topic_id
                }) OVER (PARTITION BY key ORDER BY log_offset) AS next
            FROM numbered_owners
        )
    )
    WHERE coalesce(until_log_offset, next.log_offset) IS NOT NULL
),
-- An eager rebalance takes all partitions from all members, and who gets one again begins at what is committed.
eager_rebalances AS MATERIALIZED (
    SELECT
        grp, g.log_offset, g.from_at, g.generation, g.generation_before,
        row_number() OVER (PARTITION BY grp ORDER BY g.log_offset) AS nth
    FROM core.generations AS g
    JOIN (SELECT DISTINCT cluster, log_partition, group_id, grp FROM keys) USING (cluster, log_partition, group_id)
    WHERE
        g.group_type = 'classic' AND g.state = 'Stable' AND g.protocol_type = 'consumer'
        AND g.protocol NOT IN ('cooperative-sticky', 'stream') AND g.generation IS DISTINCT FROM g.generation_before
),
renewals AS (
    SELECT
        o.key, o.member_id, o.client_id, o.client_host, o.log_offset AS owned_log_offset,
        o.from_log_offset IS NOT NULL AS is_owner_known, o.seen_at, g.generation_before,
        'reassigned_to_same_member' AS claim_kind,
        'renewed' AS end_reason,
        TRUE AS is_end_known,
        g.log_offset AS until_log_offset,
        g.from_at AS until_at, g.log_offset AS next_log_offset, g.from_at AS next_at, g.generation AS generation_after,
        o.member_id AS next_member_id, TRUE AS is_start_known
    FROM (
        SELECT o.*, unnest(range(coalesce(b.nth, 0) + 1, coalesce(e.nth, 0) + 1)) AS nth
        FROM (SELECT *, coalesce(until_log_offset, 9223372036854775807) AS ends_before FROM numbered_owners) AS o
        ASOF LEFT JOIN eager_rebalances AS b ON b.grp = o.grp AND b.log_offset <= o.log_offset
        ASOF LEFT JOIN eager_rebalances AS e ON e.grp = o.grp AND e.log_offset < o.ends_before
    ) AS o
    JOIN eager_rebalances AS g ON g.grp = o.grp AND g.nth = o.nth
),
sessions AS (
    SELECT
        cluster, log_partition, group_id, member_id, max(session_timeout_ms) AS session_timeout_ms,
        bool_and(group_type = 'consumer') AS is_by_brokers
    FROM core.members GROUP BY ALL
),
-- Members of consumer groups don't write their session timeout down: the brokers set it. A group may have its own,
-- which is no shorter than the least that they allow, by default 45 seconds.
brokers AS (FROM _settings_over_time() WHERE topic = '' AND number > 0),
by_brokers AS (
    SELECT s.cluster, s.from_at, least(s.number, coalesce(m.number, 45000), 2147483647)::INTEGER AS session_timeout_ms
    FROM brokers AS s
    LEFT JOIN (
        SELECT cluster, min(number) AS number
        FROM brokers
        WHERE config_name = 'group.consumer.min.session.timeout.ms'
        GROUP BY ALL
    ) AS m USING (cluster)
    WHERE s.config_name = 'group.consumer.session.timeout.ms'
)
-- Where it can't be known when the next one began, it may have begun before whatever was committed since.
SELECT
    e.key, k.* EXCLUDE (key, grp), e.* EXCLUDE (key),
    CASE WHEN is_start_known THEN next_log_offset WHEN is_end_known THEN until_log_offset ELSE owned_log_offset END
        AS from_log_offset,
    coalesce(m.session_timeout_ms, if(m.is_by_brokers, b.session_timeout_ms, NULL)) AS session_timeout_ms
FROM (
    FROM changes
    UNION ALL BY NAME
    FROM renewals
) AS e
JOIN keys AS k USING (key)
LEFT JOIN sessions AS m
    ON
        m.cluster = k.cluster
        AND m.log_partition = k.log_partition
        AND m.group_id = k.group_id
        AND m.member_id = e.member_id
ASOF LEFT JOIN by_brokers AS b ON b.cluster = k.cluster AND b.from_at <= e.until_at
