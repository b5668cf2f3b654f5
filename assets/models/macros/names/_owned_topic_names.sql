-- The names of the topic ids that members of a group (NULL: of all groups) owned. An id that no record, file or broker
-- names is the one topic that the group subscribed to or committed and that none of its other ids is. Where several
-- topics, or several ids, are left nothing says which is which: NULL.
WITH owned_ids AS MATERIALIZED (
    SELECT DISTINCT o.cluster, o.group_id, o.topic_id, n.topic
    FROM core.ownership AS o LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
    WHERE o.topic IS NULL AND (grp IS NULL OR o.group_id = grp)
),
nameless_ids AS MATERIALIZED (
    SELECT cluster, group_id FROM owned_ids WHERE topic IS NULL GROUP BY cluster, group_id HAVING count(*) = 1
),
topics_left AS (
    SELECT cluster, group_id, topic
    FROM internal.committed_partitions SEMI JOIN nameless_ids USING (cluster, group_id)
    UNION
    SELECT cluster, group_id, unnest(topics) FROM core.subscriptions SEMI JOIN nameless_ids USING (cluster, group_id)
    EXCEPT
    SELECT cluster, group_id, topic FROM owned_ids
)
SELECT i.cluster, i.group_id, i.topic_id, coalesce(i.topic, t.topic) AS topic
FROM owned_ids AS i
LEFT JOIN
    (
        SELECT cluster, group_id, any_value(topic) AS topic
        FROM topics_left
        GROUP BY cluster, group_id
        HAVING count(*) = 1
    ) AS t
    USING (cluster, group_id)
