-- Members that came back three times or more.
-- How many of one name there were more than at the beginning; who comes while there were more before comes back.
WITH balances AS (
    SELECT
        *, CASE WHEN change = 'joined' THEN 1 WHEN change IN ('replaced', 'resubscribed') THEN 0 ELSE -1 END AS step,
        sum(step) OVER (
            PARTITION BY cluster, log_partition, group_id, storm, name ORDER BY log_offset, step, member_id
        ) AS balance
    FROM storm_member_changes
),
returns_by_change AS (
    SELECT
        *,
        change = 'replaced' OR step = 1 AND balance <= greatest(0, coalesce(max(balance) OVER before, 0)) AS is_return
    FROM balances
    WINDOW before AS (
        PARTITION BY cluster, log_partition, group_id, storm, name ORDER BY log_offset, step, member_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
returning_names AS (
    SELECT
        cluster, log_partition, group_id, storm, name, min(log_offset) AS log_offset, count_if(is_return) AS returns,
        greatest(max(balance), 0) AS came_more
    FROM returns_by_change GROUP BY ALL HAVING returns >= 3
)
SELECT
    cluster, log_partition, group_id, storm, name,
    returns // greatest(count(DISTINCT member_id) + any_value(came_more), 1) AS rounds
FROM (
    SELECT b.*, m.member_id
    FROM returning_names AS b
    LEFT JOIN core.members AS m
        ON
            m.cluster = b.cluster AND m.log_partition = b.log_partition AND m.group_id = b.group_id
            AND coalesce(m.group_instance_id, m.client_id || ' at ' || m.client_host, m.member_id) = b.name
            AND m.log_offset < b.log_offset AND coalesce(m.to_log_offset >= b.log_offset, TRUE)
)
GROUP BY cluster, log_partition, group_id, storm, name, returns HAVING rounds >= 3
