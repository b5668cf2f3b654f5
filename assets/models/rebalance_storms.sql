-- Rebalances of one group close together, each begun no more than ten minutes after the one before was over (twice the time,
-- max.poll.interval.ms, after which a member that is too slow leaves, to come back at its next poll), in which something goes
-- round: who left comes back three times, the same cause without a change of members comes back three times, or the group
-- stands still for most of the time. Members that come once, go once or are restarted once are none, however many. Where most
-- rebalances stop no other member, since the group has one member or all leave together, the group restarts: a pattern of its own.
WITH chained AS (
    SELECT *, coalesce(epoch_ms(started_at) - epoch_ms(lag(coalesce(ended_at, started_at)) OVER log) > 600000, TRUE) AS is_first
    FROM mart.rebalances
    WHERE started_at IS NOT NULL
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
),
numbered AS (
    SELECT *, count_if(is_first) OVER (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset) AS storm FROM chained
),
changes AS (
    SELECT n.cluster, n.log_partition, n.group_id, n.storm, n.log_offset AS rebalance, c.log_offset, c.change, c.member_id,
           c.group_instance_id, c.client_id, c.client_host,
           coalesce(c.group_instance_id, c.client_id || ' at ' || c.client_host, c.member_id) AS name
    FROM numbered AS n
    JOIN mart.member_changes AS c
        ON c.cluster = n.cluster AND c.log_partition = n.log_partition AND c.group_id = n.group_id
        AND c.rebalance_log_offset = n.log_offset
),
-- How many of one name there were more than at the beginning; who comes while there were more before comes back.
balanced AS (
    SELECT *, CASE WHEN change = 'joined' THEN 1 WHEN change IN ('replaced', 'resubscribed') THEN 0 ELSE -1 END AS step,
           sum(step) OVER (
               PARTITION BY cluster, log_partition, group_id, storm, name ORDER BY log_offset, step, member_id
           ) AS balance
    FROM changes
),
returned AS (
    SELECT *, change = 'replaced' OR step = 1 AND balance <= greatest(0, coalesce(max(balance) OVER before, 0)) AS is_return
    FROM balanced
    WINDOW before AS (
        PARTITION BY cluster, log_partition, group_id, storm, name ORDER BY log_offset, step, member_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
coming_back AS (
    SELECT cluster, log_partition, group_id, storm, name, min(log_offset) AS log_offset, count_if(is_return) AS returns,
           greatest(max(balance), 0) AS came_more
    FROM returned GROUP BY ALL HAVING returns >= 3
),
-- Several processes on one host may have one name: they all come back once before one of them does so twice.
going_round AS (
    SELECT cluster, log_partition, group_id, storm, name, 
           returns // greatest(count(DISTINCT member_id) + any_value(came_more), 1) AS rounds
    FROM (
        SELECT b.*, m.member_id
        FROM coming_back AS b
        LEFT JOIN core.members AS m
            ON m.cluster = b.cluster AND m.log_partition = b.log_partition AND m.group_id = b.group_id
            AND coalesce(m.group_instance_id, m.client_id || ' at ' || m.client_host, m.member_id) = b.name
            AND m.log_offset < b.log_offset AND coalesce(m.to_log_offset >= b.log_offset, TRUE)
    )
    GROUP BY cluster, log_partition, group_id, storm, name, returns HAVING rounds >= 3
),
going_on AS (
    SELECT cluster, log_partition, group_id, storm, trigger AS name, count(*) - 1 AS rounds
    FROM numbered AS n ANTI JOIN changes AS c
        ON c.cluster = n.cluster AND c.log_partition = n.log_partition AND c.group_id = n.group_id AND c.rebalance = n.log_offset
    WHERE trigger <> 'unknown' AND members_joined IS NOT NULL AND members_left IS NOT NULL
    GROUP BY ALL HAVING rounds >= 3
),
storms AS (
    SELECT cluster, group_id, log_partition, storm, min(log_offset) AS log_offset, max(log_offset) AS last_log_offset,
           min(started_at) AS from_at, max(coalesce(ended_at, started_at)) AS to_at, count(*) AS rebalances,
           sum(generations) AS generations, sum(pause_total_ms) AS pause_total_ms, sum(pause_ms) AS pause_ms,
           count(pause_ms) AS pauses_known, sum(len(members_joined)) AS joined, sum(len(members_left)) AS gone,
           mode(trigger ORDER BY trigger) AS trigger, coalesce(sum(pause_lower_ms) FILTER (stops_all), 0) AS still_ms,
           2 * count_if(coalesce(least(members_before, members_after) >= 1 AND greatest(members_before, members_after) >= 2, TRUE))
               < count(*) AS is_restarted
    FROM numbered GROUP BY ALL
),
-- Who joins after somebody left, or instead of who leaves, has been restarted, whatever its name.
restarts AS (
    SELECT cluster, log_partition, group_id, storm,
           count(DISTINCT rebalance) FILTER (change IN ('joined', 'replaced') AND log_offset >= left_from) AS restarts
    FROM (
        SELECT *, min(if(change IN ('joined', 'resubscribed'), NULL, log_offset)) OVER (
                   PARTITION BY cluster, log_partition, group_id, storm
               ) AS left_from
        FROM changes
    )
    GROUP BY ALL
),
patterns AS (
    SELECT cluster, log_partition, group_id, storm, 1 AS first_of, 'member_returns' AS pattern, rounds, name AS repeated FROM going_round
    UNION ALL
    SELECT cluster, log_partition, group_id, storm, 2, 'same_cause', rounds, name FROM going_on
    UNION ALL
    SELECT cluster, log_partition, group_id, storm, 3, 'mostly_stopped', NULL, NULL FROM storms
    WHERE rebalances >= 5 AND 2 * still_ms > epoch_ms(to_at) - epoch_ms(from_at)
),
plain AS (
    FROM patterns
    QUALIFY row_number() OVER (
        PARTITION BY cluster, log_partition, group_id, storm ORDER BY first_of, rounds DESC, repeated
    ) = 1
),
named AS (
    UNPIVOT (
        SELECT cluster, log_partition, group_id, storm, member_id AS member, group_instance_id AS instance, client_id AS client,
               client_host AS host
        FROM changes SEMI JOIN plain USING (cluster, log_partition, group_id, storm)
    ) ON member, instance, client, host INTO NAME dimension VALUE name
),
counted AS (
    SELECT cluster, log_partition, group_id, storm, dimension, name, count(*) AS changes
    FROM named GROUP BY ALL
),
-- Every change has a member, so all changes of a storm are those by member.
shares AS (
    SELECT *, changes / sum(if(dimension = 'member', changes, 0)) OVER (PARTITION BY cluster, log_partition, group_id, storm) AS share
    FROM counted
),
worst AS (
    SELECT cluster, log_partition, group_id, storm, dimension, arg_max(name, {'changes': changes, 'name': name}) AS name,
           max(share) AS share
    FROM shares GROUP BY ALL
),
told AS (
    SELECT cluster, log_partition, group_id, storm, map_from_entries(list((dimension, name))) AS names, map_from_entries(list((dimension, share))) AS shares
    FROM worst GROUP BY ALL
)
SELECT s.cluster, s.group_id, s.log_partition, s.log_offset, s.last_log_offset, from_at, to_at, rebalances,
       if(is_restarted AND p.pattern = 'member_returns', 'group_restarts', p.pattern) AS pattern,
       if(is_restarted AND p.pattern = 'member_returns', r.restarts, p.rounds)::BIGINT AS rounds, p.repeated,
       generations::BIGINT AS generations,
       if(pauses_known = rebalances, pause_ms, NULL)::BIGINT AS pause_ms,
       if(pauses_known = rebalances, pause_total_ms, NULL)::BIGINT AS pause_total_ms, pauses_known, joined::BIGINT AS members_joined,
       gone::BIGINT AS members_left, trigger, t.names['member'] AS worst_member_id, t.shares['member'] AS worst_member_share,
       t.names['instance'] AS worst_group_instance_id, t.shares['instance'] AS worst_group_instance_share,
       t.names['client'] AS worst_client_id, t.shares['client'] AS worst_client_share,
       t.names['host'] AS worst_client_host, t.shares['host'] AS worst_client_host_share
FROM storms AS s
JOIN plain AS p USING (cluster, log_partition, group_id, storm)
LEFT JOIN restarts AS r USING (cluster, log_partition, group_id, storm)
LEFT JOIN told AS t USING (cluster, log_partition, group_id, storm)
ORDER BY ALL
