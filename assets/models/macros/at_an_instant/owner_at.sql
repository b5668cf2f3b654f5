-- Who of a group (NULL: of all groups) owned each partition at an instant, as the coordinator said: what a member was
-- told to give up is not its own any more. A topic that only its id tells is called by it. Where nobody saw how it
-- ended, it may have ended in any hole of the log since. A group may stand in two partitions of the offsets topic, or
-- own a name by two ids: the owner that was seen last is told.
SELECT
    o.cluster, o.group_id, coalesce(o.topic, o.topic_id) AS topic, o.partition, o.member_id,
    o.client_host, o.client_id, o.group_instance_id, o.generation,
    o.last_generation, o.topic_id,
    (o.end_reason = 'unknown' AND (o.log_offset < h.hidden_to OR o.group_type = 'zookeeper')) IS NOT TRUE AS is_known
FROM _owners_by_name(grp := grp) AS o
LEFT JOIN _gaps_at(ts) AS h USING (cluster, log_partition)
WHERE
    coalesce(o.seen_at <= ts, ts = 'infinity'::TIMESTAMPTZ)
    AND (o.until_log_offset IS NULL OR o.until_at > ts)
    AND (o.revoking_at IS NULL OR o.revoking_at > ts)
QUALIFY row_number() OVER (
    PARTITION BY o.cluster, o.group_id, coalesce(o.topic, o.topic_id), o.partition
    ORDER BY
        (o.end_reason = 'unknown' AND (o.log_offset < h.hidden_to OR o.group_type = 'zookeeper')) IS TRUE,
        o.seen_at DESC NULLS LAST, o.log_partition, o.log_offset DESC, o.member_id
) = 1
