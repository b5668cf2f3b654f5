-- Every partition that a group (NULL: any group) had committed or owned at an instant, once. One that is owned by a
-- topic id without a name, and one of that number that is committed under a name that nobody owns, may be the same: the
-- committed one stands for both, without an owner.
WITH owners AS (FROM owner_at(ts, grp := grp) WHERE is_known),
partitions AS (
    SELECT
        cluster, group_id, topic, partition, s.current_offset, coalesce(s.is_known, TRUE) AS is_known, s.effective_at,
        o.member_id, o.client_host, o.client_id, s.is_known IS NULL AND o.topic_id = topic AS is_nameless
    FROM state_at(ts, grp := grp) AS s FULL JOIN owners AS o USING (cluster, group_id, topic, partition)
),
doubles AS (
    SELECT cluster, group_id, topic, partition
    FROM partitions
    SEMI JOIN (FROM partitions WHERE member_id IS NULL) AS c USING (cluster, group_id, partition)
    WHERE is_nameless
)
SELECT * EXCLUDE (is_nameless) FROM partitions ANTI JOIN doubles USING (cluster, group_id, topic, partition)
