-- Who joined and left how often, by member, static instance, client id and host: dynamic members are another each time.
WITH named_changes AS (
    UNPIVOT (
        SELECT
            cluster, group_id, rebalance_log_offset, log_partition, change, occurred_at,
            member_id AS member, group_instance_id AS instance, client_id AS client, client_host AS host
        FROM mart.member_changes
    ) ON member, instance, client, host INTO NAME dimension VALUE name
),
groups AS (SELECT cluster, group_id, count(*) AS rebalances FROM mart.rebalances GROUP BY ALL)
SELECT
    cluster, group_id, dimension, name, count_if(change = 'joined') AS joins, count_if(change = 'left') AS leaves,
    count_if(change = 'expired') AS expiries, count_if(change = 'left_or_expired') AS leaves_or_expiries,
    count_if(change = 'replaced') AS returns, count_if(change = 'resubscribed') AS resubscriptions,
    count(DISTINCT(log_partition, rebalance_log_offset)) AS rebalances,
    count(DISTINCT(log_partition, rebalance_log_offset)) / any_value(g.rebalances) AS share,
    min(occurred_at) AS first_at, max(occurred_at) AS last_at
FROM named_changes JOIN groups AS g USING (cluster, group_id)
GROUP BY cluster, group_id, dimension, name
ORDER BY ALL
