-- Commits that set a group back: lower than the one before, or the first after its offset was removed. What its members
-- had declared to have read before is [declared_from, previous_offset), what they declare from here on
-- [committed_offset, read_to). In a state over which offsets of the log were not seen, there may have been another. Of
-- several offsets that were set while nobody was there the last one counts, `final_offset` (NULL when it was removed),
-- against the one that stood at first. Who came then first committed `begun_to`: where that lies beyond what stood, it
-- may have begun anywhere on the way. The key had never committed less than `lowest_so_far`. A commit without a leader
-- epoch behind one with it is of a place where nothing was read yet. `next_offset` is the next commit, where that is
-- higher and nothing was missed in between. A lower commit `is_at_once` where it follows the higher one within a
-- second, and nothing happened to the group in between.
WITH steps AS (SELECT key, max(longest_step) AS longest_step FROM replay_reset_runs GROUP BY ALL),
by_state AS (
    SELECT
        key, state_log_offset, sum(commits)::BIGINT AS commits_in_state, min(stretch) AS first_stretch,
        max(stretch) AS last_stretch
    FROM replay_reset_runs GROUP BY ALL
),
described_commits AS MATERIALIZED (
    SELECT
        c.*, k.cluster, k.log_partition, g.generation,
        coalesce(if(g.is_gap_free, g.state, NULL), 'unknown') AS state
    FROM replay_reset_commits AS c
    JOIN replay_reset_keys AS k USING (key)
    LEFT JOIN _group_records() AS g
        ON
            g.cluster = k.cluster AND g.log_partition = k.log_partition AND g.group_id = k.group_id
            AND g.log_offset = c.state_log_offset
)
SELECT
    k.cluster, k.log_partition, k.group_id, k.topic, k.partition, c.log_offset, c.effective_log_offset, c.effective_at,
    c.committed_offset, s.read_to, c.is_transactional, c.state, c.generation AS generation_after, c.state_log_offset,
    n.commits_in_state, c.store_kind = 'spark_checkpoint' AS is_batch,
    c.leader_epoch,
    c.actor AS written_by, c.store_kind = 'zookeeper' AS is_of_session,
    if(c.state = 'Empty', s.stretch_from, c.committed_offset) AS final_offset,
    f.highest_offset, s.begun_to, c.kind = 'first' AS is_after_removal,
    if(c.kind = 'first', b.previous_offset, c.previous_offset) AS previous_offset,
    if(c.kind = 'first', e.effective_at, b.effective_at) AS previous_at,
    if(c.kind = 'first', b.log_offset, NULL) AS removal_log_offset,
    if(c.kind = 'first', b.effective_at, NULL) AS removed_at,
    if(c.kind = 'first', e.log_offset, b.log_offset) AS stood_log_offset,
    b.generation AS generation_before,
    l.longest_step,
    if(d.begun_to >= d.highest_offset, d.begun_to, d.stretch_from) AS declared_from,
    c.topic_id = if(c.kind = 'first', e.topic_id, b.topic_id) AS is_same_topic,
    if(x.kind = 'advance', x.committed_offset, NULL) AS next_offset,
    (x.state_log_offset IS DISTINCT FROM c.state_log_offset) AS is_next_elsewhere,
    b.lowest_offset AS lowest_so_far,
    if(c.kind = 'first', e.leader_epoch, b.leader_epoch) AS stood_leader_epoch,
    c.leader_epoch IS NULL AND b.leader_epoch IS NOT NULL AS is_unread_there,
    coalesce(
        c.kind = 'rewind' AND c.state <> 'Empty' AND b.state_log_offset IS NOT DISTINCT FROM c.state_log_offset
        AND date_diff('millisecond', b.effective_at, c.effective_at) BETWEEN 0 AND 1000, FALSE
    ) AS is_at_once
FROM described_commits AS c
JOIN replay_reset_keys AS k USING (key)
LEFT JOIN described_commits AS b ON b.key = c.key AND b.number = c.number - 1
LEFT JOIN described_commits AS e ON e.key = c.key AND e.number = c.number - 2
LEFT JOIN described_commits AS x ON x.key = c.key AND x.number = c.number + 1
LEFT JOIN by_state AS n ON n.key = c.key AND n.state_log_offset IS NOT DISTINCT FROM c.state_log_offset
-- A commit that set back begins a stretch, and so does a removal, and whatever is done while nobody is there.
JOIN key_stretches AS s ON s.key = c.key AND s.stretch = if(c.state = 'Empty', n.last_stretch, c.stretch)
LEFT JOIN key_stretches AS f ON f.key = c.key AND c.state = 'Empty' AND f.stretch = n.first_stretch
LEFT JOIN key_stretches AS d
    ON
        d.key = c.key
        AND d.stretch = CASE
            WHEN c.kind = 'first' THEN c.stretch - 2 WHEN c.state = 'Empty' THEN n.first_stretch - 1
            ELSE c.stretch - 1
        END
LEFT JOIN steps AS l ON l.key = c.key
WHERE c.kind = 'rewind' OR c.kind = 'first' AND b.kind = 'removed'
