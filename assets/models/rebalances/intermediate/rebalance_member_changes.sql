-- The changes of members in each rebalance.
SELECT
    c.cluster, c.log_partition, c.group_id, rebalance_log_offset AS log_offset,
    coalesce(list(member_id ORDER BY member_id) FILTER (change = 'joined'), []) AS joined,
    coalesce(list(member_id ORDER BY member_id) FILTER (change IN ('left', 'expired', 'left_or_expired')), []) AS gone,
    coalesce(list(member_id ORDER BY member_id) FILTER (change = 'replaced'), []) AS replaced,
    list_sort(list(DISTINCT change) FILTER (c.log_offset <= s.log_offset)) AS first_changes,
    count_if(change = 'resubscribed') AS resubscribed,
    coalesce(bool_or(c.source = 'text_log') FILTER (c.log_offset <= s.log_offset), FALSE) AS is_logged,
    any_value(c.reason) FILTER (c.log_offset <= s.log_offset) AS member_reason
FROM mart.member_changes AS c
JOIN internal.rebalance_spans AS s
    ON
        s.cluster = c.cluster AND s.log_partition = c.log_partition AND s.group_id = c.group_id
        AND s.log_offset = c.rebalance_log_offset
GROUP BY ALL
