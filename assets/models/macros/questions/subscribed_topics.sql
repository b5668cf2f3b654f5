-- The topics that the members of each group subscribe to, by what stands at the end of what was read; is_known is false
-- where a subscription can't be read. What a member owns it has subscribed to.
WITH subscription_rows AS (
    SELECT
        cluster, group_id, topics, member_id IS NOT NULL AND topics IS NULL AND regex IS NULL AS is_unread,
        member_id IS NOT NULL AND regex IS NOT NULL AS is_pattern, member_id IS NULL AS is_match
    FROM core.subscriptions
    WHERE to_log_offset IS NULL
    UNION ALL
    SELECT cluster, group_id, [topic], FALSE, FALSE, FALSE FROM owner_at('infinity'::TIMESTAMPTZ)
)
SELECT
    cluster, group_id, list_distinct(flatten(list(topics) FILTER (topics IS NOT NULL))) AS topics,
    NOT bool_or(is_unread) AND (bool_or(is_match) OR NOT bool_or(is_pattern)) AS is_known
FROM subscription_rows
GROUP BY ALL
