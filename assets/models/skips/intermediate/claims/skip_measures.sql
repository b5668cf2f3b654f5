-- The candidates with what decides over them: what was committed before, how far the logs had come, the steps of the
-- group.
WITH later_starts AS (
    SELECT p.cluster, p.log_partition, p.log_offset, min(s.log_start_offset) AS start_later
    FROM skip_candidates AS p JOIN log_start_history AS s USING (cluster, topic, partition)
    WHERE p.claim_kind = 'overtaken_by_log_start' AND s.still_at >= p.effective_at
    GROUP BY ALL
),
-- Of a topic with several ids it is not known which one a commit without an id is of.
recreated_topics AS (SELECT cluster, topic FROM core.topics GROUP BY ALL HAVING count(*) > 1),
last_starts AS (
    SELECT cluster, topic, partition, max(log_start_offset) AS last_start FROM log_start_history GROUP BY ALL
)
SELECT
    p.*,
    t.* EXCLUDE (cluster, log_partition, log_offset, claim_kind, stood),
    t.stood[2] AS stood_log_offset,
    l.start_later,
    met.end_then AS end_met, stood.end_then AS end_stood,
    coalesce(stood.appended_from = 0 AND went.appended_from = 0 AND p.possible_from > 0, FALSE)
    AND p.claim_kind IN ('set_forward', 'restarted_at_latest', 'skipped_ahead') AS is_earlier_log,
    coalesce(p.topic_id <> t.stood_topic_id OR c.latest_at > t.stood_at, FALSE) AS is_another_topic,
    coalesce(stood.appended_from = 0 AND p.possible_from > 0, FALSE) AS is_later_log,
    h.longest, coalesce(b.last_start, 0) AS last_start, h.is_restarted_low,
    v.topic IS NOT NULL AND (p.topic_id = t.stood_topic_id) IS NOT TRUE AS is_life_unknown, h.newest_at,
    alone.end_most AS members_read_to,
    coalesce(p.state_log_offset > t.stood[1], FALSE) AS is_alone_since,
    coalesce(t.removed_later < h.members_to, FALSE) OR t.is_begun_anew AS is_read_anew
FROM skip_candidates AS p
JOIN skip_surroundings AS t USING (cluster, log_partition, log_offset, claim_kind)
LEFT JOIN later_starts AS l USING (cluster, log_partition, log_offset)
JOIN group_habits AS h USING (cluster, log_partition, group_id, topic)
LEFT JOIN last_starts AS b USING (cluster, topic, partition)
LEFT JOIN recreated_topics AS v USING (cluster, topic)
LEFT JOIN _topic_creations() AS c USING (cluster, topic)
LEFT JOIN skip_log_bounds AS alone
    ON
        alone.cluster = p.cluster AND alone.topic = p.topic AND alone.partition = p.partition
        AND alone.moment = p.state_at
LEFT JOIN skip_log_bounds AS stood
    ON
        stood.cluster = p.cluster AND stood.topic = p.topic AND stood.partition = p.partition
        AND stood.moment = t.stood_at
LEFT JOIN skip_log_bounds AS went
    ON
        went.cluster = p.cluster AND went.topic = p.topic AND went.partition = p.partition
        AND went.moment = p.effective_at
LEFT JOIN skip_log_bounds AS met
    ON
        met.cluster = p.cluster AND met.topic = p.topic AND met.partition = p.partition
        AND met.moment = coalesce(p.asked_at, if(p.state_log_offset > t.stood[1], p.members_at, t.stood_at))
