-- The names that there are of one kind: 'group', or 'topic' and 'partition' (such as orders-0) of what a group (NULL:
-- any group) committed or owned, or of which a share group has a state; an id where nothing has the topic's name.
WITH places AS (
    SELECT topic, partition FROM core.commits WHERE kind_of <> 'group' AND (grp IS NULL OR group_id = grp)
    UNION
    SELECT topic, partition FROM core.ownership WHERE kind_of <> 'group' AND (grp IS NULL OR group_id = grp)
    UNION
    SELECT coalesce(n.topic, s.topic_id), s.partition
    FROM core.share_states AS s
    LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
    WHERE kind_of <> 'group' AND (grp IS NULL OR group_id = grp)
)
SELECT group_id AS name FROM internal.group_partitions WHERE kind_of = 'group'
UNION
SELECT group_id FROM mart.lag_now WHERE kind_of = 'group'
UNION
SELECT group_id FROM core.group_states WHERE kind_of = 'group'
UNION
SELECT group_id FROM core.share_states WHERE kind_of = 'group'
UNION
SELECT if(kind_of = 'topic', topic, concat(topic, '-', partition)) FROM places WHERE topic IS NOT NULL
