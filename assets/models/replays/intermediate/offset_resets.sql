-- Commits that set a group back: lower than the one before, or the first after its offset was removed. What its members
-- had declared to have read before is [declared_from, previous_offset), what they declare from here on
-- [committed_offset, read_to). In a state over which offsets of the log were not seen, there may have been another. Of
-- several offsets that were set while nobody was there the last one counts, `final_offset` (NULL when it was removed),
-- against the one that stood at first. Who came then first committed `begun_to`: where that lies beyond what stood, it
-- may have begun anywhere on the way. The key had never committed less than `lowest_so_far`. A commit without a leader
-- epoch behind one with it is of a place where nothing was read yet. `next_offset` is the next commit, where that is
-- higher and nothing was missed in between. A lower commit `is_at_once` where it follows the higher one within a
-- second, and nothing happened to the group in between.
WITH steps AS (SELECT key, max(longest_step) AS longest_step FROM reset_runs GROUP BY ALL),
by_state AS (
    SELECT
        key, state_log_offset, sum(commits)::BIGINT AS commits_in_state, min(stretch) AS first_stretch,
        max(stretch) AS last_stretch
    FROM reset_runs GROUP BY ALL
),
-- The commits that count, with the state each was made in.
counted_commits AS (
    SELECT k.* EXCLUDE (grp), c.log_offset, c.state_log_offset
    FROM reset_commits AS c JOIN replay_reset_keys AS k USING (key)
),
described_commits AS MATERIALIZED (
    SELECT
        h.key, c.log_offset, c.effective_log_offset, c.effective_at, c.kind, c.committed_offset, c.previous_offset,
        c.is_transactional, c.topic_id, c.leader_epoch, c.actor, c.store_kind, h.state_log_offset, g.generation,
        coalesce(if(g.is_gap_free, g.state, NULL), 'unknown') AS state
    FROM core.commits AS c
    JOIN counted_commits AS h USING (cluster, log_partition, group_id, topic, partition, log_offset)
    LEFT JOIN _group_records() AS g
        ON
            g.cluster = c.cluster AND g.log_partition = c.log_partition AND g.group_id = c.group_id
            AND g.log_offset = h.state_log_offset
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
    t.lowest_so_far,
    if(c.kind = 'first', e.leader_epoch, b.leader_epoch) AS stood_leader_epoch,
    c.leader_epoch IS NULL AND b.leader_epoch IS NOT NULL AS is_unread_there,
    coalesce(
        c.kind = 'rewind' AND c.state <> 'Empty' AND b.state_log_offset IS NOT DISTINCT FROM c.state_log_offset
        AND date_diff('millisecond', b.effective_at, c.effective_at) BETWEEN 0 AND 1000, FALSE
    ) AS is_at_once
FROM reset_turns AS t
JOIN replay_reset_keys AS k USING (key)
JOIN described_commits AS c ON c.key = t.key AND c.log_offset = t.log_offset
LEFT JOIN described_commits AS b ON b.key = t.key AND b.log_offset = t.before_log_offset
LEFT JOIN described_commits AS e ON e.key = t.key AND e.log_offset = t.earlier_log_offset
LEFT JOIN described_commits AS x ON x.key = t.key AND x.log_offset = t.next_log_offset
LEFT JOIN by_state AS n ON n.key = t.key AND n.state_log_offset IS NOT DISTINCT FROM c.state_log_offset
-- A commit that set back begins a stretch, and so does a removal, and whatever is done while nobody is there.
JOIN key_stretches AS s ON s.key = t.key AND s.stretch = if(c.state = 'Empty', n.last_stretch, t.stretch)
LEFT JOIN key_stretches AS f ON f.key = t.key AND c.state = 'Empty' AND f.stretch = n.first_stretch
LEFT JOIN key_stretches AS d
    ON
        d.key = t.key
        AND d.stretch = CASE
            WHEN c.kind = 'first' THEN t.stretch - 2 WHEN c.state = 'Empty' THEN n.first_stretch - 1
            ELSE t.stretch - 1
        END
LEFT JOIN steps AS l ON l.key = t.key
WHERE c.kind = 'rewind' OR c.kind = 'first' AND b.kind = 'removed'
