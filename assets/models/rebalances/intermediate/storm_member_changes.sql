-- The changes of members in these rebalances.
SELECT
    n.cluster, n.log_partition, n.group_id, n.storm, n.log_offset AS rebalance, c.log_offset, c.change, c.member_id,
    c.group_instance_id, c.client_id, c.client_host,
    coalesce(c.group_instance_id, c.client_id || ' at ' || c.client_host, c.member_id) AS name
FROM storm_rebalances AS n
JOIN mart.member_changes AS c
    ON
        c.cluster = n.cluster AND c.log_partition = n.log_partition AND c.group_id = n.group_id
        AND c.rebalance_log_offset = n.log_offset
