-- Rebalances of one group close together, each begun no more than ten minutes after the one before was over (twice the
-- time, max.poll.interval.ms, after which a member that is too slow leaves, to come back at its next poll), in which
-- something goes round: who left comes back three times, the same cause without a change of members comes back three
-- times, or the group stands still for most of the time. Members that come once, go once or are restarted once are
-- none, however many. Where most rebalances stop no other member, since the group has one member or all leave together,
-- the group restarts: a pattern of its own. Who joins after somebody left, or instead of who leaves, has been
-- restarted, whatever its name.
WITH restart_counts AS (
    SELECT
        cluster, log_partition, group_id, storm,
        count(DISTINCT rebalance) FILTER (change IN ('joined', 'replaced') AND log_offset >= left_from) AS restarts
    FROM (
        SELECT
            *, min(if(change IN ('joined', 'resubscribed'), NULL, log_offset)) OVER (
                PARTITION BY cluster, log_partition, group_id, storm
            ) AS left_from
        FROM storm_member_changes
    )
    GROUP BY ALL
)
SELECT
    s.cluster, s.group_id, s.log_partition, s.log_offset, s.last_log_offset, from_at, to_at, rebalances,
    if(is_restarted AND p.pattern = 'member_returns', 'group_restarts', p.pattern) AS pattern,
    if(is_restarted AND p.pattern = 'member_returns', r.restarts, p.rounds)::BIGINT AS rounds, p.repeated,
    generations::BIGINT AS generations,
    if(pauses_known = rebalances, pause_ms, NULL)::BIGINT AS pause_ms,
    if(pauses_known = rebalances, pause_total_ms, NULL)::BIGINT AS pause_total_ms,
    pauses_known,
    joined::BIGINT AS members_joined,
    gone::BIGINT AS members_left,
    trigger,
    t.names['member'] AS worst_member_id,
    t.shares['member'] AS worst_member_share,
    t.names['instance'] AS worst_group_instance_id, t.shares['instance'] AS worst_group_instance_share,
    t.names['client'] AS worst_client_id, t.shares['client'] AS worst_client_share,
    t.names['host'] AS worst_client_host, t.shares['host'] AS worst_client_host_share
FROM storm_totals AS s
JOIN storm_patterns AS p USING (cluster, log_partition, group_id, storm)
LEFT JOIN restart_counts AS r USING (cluster, log_partition, group_id, storm)
LEFT JOIN storm_shares AS t USING (cluster, log_partition, group_id, storm)
ORDER BY ALL
