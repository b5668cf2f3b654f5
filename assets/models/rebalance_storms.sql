-- A storm is five or more rebalances of one group, each of them begun no more than ten minutes after the one before was over:
-- twice the time (max.poll.interval.ms) after which a member that is too slow leaves, to come back at its next poll.
WITH chained AS (
    SELECT *, coalesce(epoch_ms(started_at) - epoch_ms(lag(coalesce(ended_at, started_at)) OVER log) > 600000, TRUE) AS is_first
    FROM mart.rebalances
    WHERE started_at IS NOT NULL
    WINDOW log AS (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset)
),
numbered AS (
    SELECT *, count_if(is_first) OVER (PARTITION BY cluster, log_partition, group_id ORDER BY log_offset) AS storm FROM chained
),
storms AS (
    SELECT cluster, group_id, log_partition, storm, min(log_offset) AS log_offset, max(log_offset) AS last_log_offset,
           min(started_at) AS from_at, max(coalesce(ended_at, started_at)) AS to_at, count(*) AS rebalances,
           sum(generations) AS generations, sum(pause_total_ms) AS pause_total_ms, sum(pause_ms) AS pause_ms,
           count(pause_ms) AS pauses_known, sum(len(members_joined)) AS joined, sum(len(members_left)) AS gone,
           mode(trigger ORDER BY trigger) AS trigger
    FROM numbered GROUP BY ALL HAVING count(*) >= 5
),
named AS (
    UNPIVOT (
        SELECT s.cluster, s.log_partition, s.group_id, s.storm, c.member_id AS member, c.group_instance_id AS instance,
               c.client_id AS client, c.client_host AS host
        FROM storms AS s
        JOIN mart.member_changes AS c
            ON (c.cluster, c.log_partition, c.group_id) = (s.cluster, s.log_partition, s.group_id)
            AND c.rebalance_log_offset BETWEEN s.log_offset AND s.last_log_offset
    ) ON member, instance, client, host INTO NAME counted_by VALUE name
),
counted AS (
    SELECT cluster, log_partition, group_id, storm, counted_by, name, count(*) AS changes
    FROM named GROUP BY ALL
),
-- Every change has a member, so all changes of a storm are those by member.
shares AS (
    SELECT *, changes / sum(if(counted_by = 'member', changes, 0)) OVER (PARTITION BY cluster, log_partition, group_id, storm) AS share
    FROM counted
),
worst AS (
    SELECT cluster, log_partition, group_id, storm, counted_by, arg_max(name, (changes, name)) AS name, max(share) AS share
    FROM shares GROUP BY ALL
),
told AS (
    SELECT cluster, log_partition, group_id, storm, map_from_entries(list((counted_by, name))) AS names, map_from_entries(list((counted_by, share))) AS shares
    FROM worst GROUP BY ALL
)
SELECT s.cluster, s.group_id, s.log_partition, s.log_offset, s.last_log_offset, from_at, to_at, rebalances,
       generations::BIGINT AS generations, if(pauses_known = rebalances, pause_ms, NULL)::BIGINT AS pause_ms,
       if(pauses_known = rebalances, pause_total_ms, NULL)::BIGINT AS pause_total_ms, pauses_known, joined::BIGINT AS members_joined,
       gone::BIGINT AS members_left, trigger, t.names['member'] AS worst_member_id, t.shares['member'] AS worst_member_share,
       t.names['instance'] AS worst_group_instance_id, t.shares['instance'] AS worst_group_instance_share,
       t.names['client'] AS worst_client_id, t.shares['client'] AS worst_client_share,
       t.names['host'] AS worst_client_host, t.shares['host'] AS worst_client_host_share
FROM storms AS s LEFT JOIN told AS t USING (cluster, log_partition, group_id, storm)
ORDER BY ALL
