-- Groups that went on at the target of MirrorMaker 2 behind what they had read at the source: a member committed there,
-- after an offset that no member had committed, and that one lies behind the copy of the first record that the group
-- had not read. A group that commits at the source afterwards, too, did not fail over. Beside both commits at the
-- target a finding rests on the last commit at the source, and on the syncs on both sides of it.
WITH mirrored AS (
    SELECT DISTINCT
        c.source_cluster, c.target_cluster, f.syncs_cluster, f.syncs_topic, c.group_id, c.source_topic, c.topic,
        c.partition
    FROM mart.mirror_checkpoints AS c
    JOIN mart.mirror_flows AS f USING (target_cluster, checkpoints_topic)
    WHERE c.source_cluster IS NOT NULL AND c.source_topic IS NOT NULL
),
mirrored_commits AS (
    SELECT
        c.*, m.source_cluster, m.syncs_cluster, m.syncs_topic, m.source_topic, lag(c.actor) OVER log AS previous_actor,
        lag(c.log_offset) OVER log AS previous_log_offset
    FROM core.commits AS c
    JOIN mirrored AS m
        ON
            m.target_cluster = c.cluster AND m.group_id = c.group_id AND m.topic = c.topic
            AND m.partition = c.partition
    WINDOW log AS (
        PARTITION BY c.cluster, c.group_id, c.topic, c.partition, m.source_cluster
        ORDER BY c.effective_log_offset, c.log_offset
    )
),
source_commits AS (
    SELECT
        c.cluster, c.group_id, c.topic, c.partition, c.log_partition, c.log_offset, c.committed_offset, c.effective_at
    FROM core.commits AS c
    SEMI JOIN mirrored AS m
        ON
            m.source_cluster = c.cluster AND m.group_id = c.group_id AND m.source_topic = c.topic
            AND m.partition = c.partition
),
starts AS (
    SELECT
        row_number() OVER () AS number, t.*, s.committed_offset AS upstream_offset, t.effective_at AS at_ts,
        _records_at(s.cluster, '__consumer_offsets', s.log_partition, [s.log_offset]) AS source_commit
    FROM mirrored_commits AS t
    ASOF JOIN source_commits AS s
        ON
            t.source_cluster = s.cluster AND t.group_id = s.group_id AND t.source_topic = s.topic
            AND t.partition = s.partition AND t.effective_at >= s.effective_at
    WHERE
        t.actor IN ('owner', 'former_owner')
        AND t.previous_actor NOT IN ('owner', 'former_owner', 'transaction', 'simple_consumer')
        AND t.is_previous_known AND t.kind IN ('advance', 'repeat')
),
failovers AS (
    FROM starts AS t
    ANTI JOIN source_commits AS s
        ON
            t.source_cluster = s.cluster AND t.group_id = s.group_id AND t.source_topic = s.topic
            AND t.partition = s.partition AND s.effective_at > t.effective_at
)
SELECT
    'failover' AS kind, f.cluster, f.group_id, f.topic, f.partition, 'started_ahead' AS claim_kind,
    f.effective_at AS from_time, f.effective_at AS occurred_at, p.position_lower AS possible_from,
    f.previous_offset AS possible_to, p.position_upper AS certain_from,
    least(f.previous_offset, p.clean_to) AS certain_to, p.position_upper AS estimate_from,
    least(f.previous_offset, p.clean_to) AS estimate_to, 'unknown' AS cause, f.actor, f.member_id, f.client_id,
    f.client_host, 'likely' AS certainty, f.log_partition, f.log_offset,
    list_sort([f.previous_log_offset, f.log_offset]) AS evidence,
    list_concat(f.source_commit, p.syncs) AS evidence_elsewhere,
    'probably never read {}' AS claim
FROM failovers AS f
JOIN _mirror_positions('failovers') AS p ON p.number = f.number
WHERE f.previous_offset >= p.target_from AND least(f.previous_offset, p.clean_to) > p.position_upper
