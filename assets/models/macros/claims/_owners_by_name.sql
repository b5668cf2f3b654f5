-- core.ownership of a group (NULL: of all groups), each topic by its name, also by one that only follows from what the
-- group subscribed to and committed: claims rest on `_owners`, answers on this. NULL: nothing says which topic it is.
SELECT o.* REPLACE (coalesce(o.topic, n.topic) AS topic)
FROM core.ownership AS o LEFT JOIN _owned_topic_names(grp := grp) AS n USING (cluster, group_id, topic_id)
WHERE grp IS NULL OR o.group_id = grp
