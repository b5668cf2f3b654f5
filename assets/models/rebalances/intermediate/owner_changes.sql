-- Who owned each partition before a rebalance, and who after it, leaving out who did in between.
WITH owners AS MATERIALIZED (
    SELECT
        row_number() OVER () AS owner,
        cluster,
        group_id,
        log_partition,
        coalesce(o.topic, n.topic, topic_id) AS called,
        topic_id,
        partition,
        member_id,
        group_instance_id,
        client_id,
        client_host,
        log_offset,
        from_log_offset,
        from_at,
        until_log_offset,
        until_at, revoking_at, end_reason
    FROM core.ownership AS o LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
),
-- Groups and their partitions go by numbers, which are joined and gathered in a fraction of the time.
groups AS MATERIALIZED (
    SELECT *, row_number() OVER () AS grp FROM (SELECT DISTINCT cluster, log_partition, group_id FROM owners)
),
parts AS (
    SELECT *, row_number() OVER () AS part
    FROM (SELECT DISTINCT cluster, log_partition, group_id, called, partition FROM owners)
    JOIN groups USING (cluster, log_partition, group_id)
),
owner_spans AS MATERIALIZED (
    SELECT grp, part, owner, log_offset, from_log_offset, until_log_offset
    FROM owners JOIN parts USING (cluster, log_partition, group_id, called, partition)
),
spans AS (
    SELECT
        grp,
        s.log_offset AS rebalance_log_offset,
        before_log_offset,
        coalesce(to_log_offset, 9223372036854775807) AS up_to
    FROM internal.rebalance_spans AS s JOIN groups USING (cluster, log_partition, group_id)
),
-- A rebalance moves many partitions at one place in the log, which is looked up once.
rebalance_places AS MATERIALIZED (
    SELECT p.grp, p.place, s.* EXCLUDE (grp)
    FROM (
        SELECT grp, log_offset AS place FROM owner_spans WHERE from_log_offset IS NOT NULL
        UNION
        SELECT grp, until_log_offset FROM owner_spans WHERE until_log_offset IS NOT NULL
    ) AS p
    ASOF JOIN spans AS s ON s.grp = p.grp AND p.place <= s.up_to
    WHERE p.place > coalesce(s.before_log_offset, -1)
),
-- Of all who gave it up in the rebalance the first owned it before, of all who came to own it the last does after.
losses AS (
    SELECT
        part, rebalance_log_offset, any_value(before_log_offset) AS before_log_offset,
        arg_min(owner, until_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS owner
    FROM owner_spans AS o JOIN rebalance_places AS p ON p.grp = o.grp AND p.place = o.until_log_offset
    GROUP BY ALL
),
gains AS (
    SELECT part, rebalance_log_offset, any_value(up_to) AS up_to, arg_max(owner, log_offset) AS owner
    FROM owner_spans AS o JOIN rebalance_places AS p ON p.grp = o.grp AND p.place = o.log_offset
    WHERE o.from_log_offset IS NOT NULL
    GROUP BY ALL
)
SELECT
    coalesce(l.cluster, g.cluster) AS cluster, coalesce(l.group_id, g.group_id) AS group_id,
    coalesce(l.log_partition, g.log_partition) AS log_partition, rebalance_log_offset,
    coalesce(l.called, g.called) AS topic, coalesce(l.topic_id, g.topic_id) AS topic_id,
    coalesce(l.partition, g.partition) AS partition,
    if(coalesce(l.log_offset > before_log_offset, TRUE), NULL, l) AS old,
    if(coalesce(g.until_log_offset <= up_to, FALSE), NULL, g) AS new
FROM (
    SELECT rebalance_log_offset, before_log_offset, up_to, l.owner AS lost_by, g.owner AS gained_by
    FROM losses AS l FULL JOIN gains AS g USING (part, rebalance_log_offset)
)
LEFT JOIN owners AS l ON l.owner = lost_by
LEFT JOIN owners AS g ON g.owner = gained_by
