-- Every partition that a group (NULL: any group) had committed or owned at an instant, once. One that is owned by a
-- topic id without a name, and one of that number that is committed under a name that nobody owns, may be the same: the
-- committed one stands for both, without an owner.
SELECT
    cluster, group_id, topic, partition, s.current_offset, coalesce(s.is_known, TRUE) AS is_known, s.effective_at,
    o.member_id, o.client_host, o.client_id
FROM state_at(ts, grp := grp) AS s
FULL JOIN (FROM owner_at(ts, grp := grp) WHERE is_known) AS o USING (cluster, group_id, topic, partition)
QUALIFY
    (s.is_known IS NULL AND o.topic_id = topic) IS NOT TRUE
    OR NOT bool_or(o.member_id IS NULL) OVER (PARTITION BY cluster, group_id, partition)
