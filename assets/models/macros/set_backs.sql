-- Commits that set a group back: lower than the one before, or the first after its offset was removed. What its members had
-- declared to have read before is [declared_from, previous_offset), what they declare from here on [committed_offset, read_to).
-- In a state over which offsets of the log were not seen, there may have been another.
WITH turned AS (
    SELECT cluster, group_id, topic, partition
    FROM core.commits WHERE kind IN ('rewind', 'removed', 'first')
    GROUP BY ALL
    HAVING bool_or(kind = 'rewind')
        OR min(effective_log_offset) FILTER (kind = 'removed') < max(effective_log_offset) FILTER (kind = 'first')
),
history AS (
    SELECT c.cluster, c.log_partition, c.group_id, c.topic, c.partition, c.log_offset, c.effective_log_offset, c.effective_at,
           c.kind, c.committed_offset, c.previous_offset, c.cause, c.is_transactional, c.topic_id,
           coalesce(if(g.is_whole, g.state, NULL), 'unknown') AS state, g.generation, g.log_offset AS state_log_offset,
           coalesce(c.kind IN ('advance', 'repeat') AND g.is_whole AND g.state IN ('Stable', 'Assigning', 'Reconciling'), FALSE)
               AS reads_on
    FROM (FROM core.commits SEMI JOIN turned USING (cluster, group_id, topic, partition)) AS c
    ASOF LEFT JOIN core.generations AS g
        ON g.cluster = c.cluster AND g.log_partition = c.log_partition AND g.group_id = c.group_id
        AND g.log_offset < c.effective_log_offset
),
-- An unbroken stretch of commits goes on as long as offsets move for no other reason than members reading on.
stretched AS (
    SELECT *, count_if(NOT reads_on) OVER log AS stretch, lag(log_offset) OVER log AS stood_log_offset,
           lag(effective_at) OVER log AS stood_at, lag(generation) OVER log AS stood_generation, lag(kind) OVER log AS stood_kind,
           lag(cause) OVER log AS removed_for, lag(previous_offset) OVER log AS removed_offset,
           lag(log_offset, 2) OVER log AS removed_log_offset, lag(effective_at, 2) OVER log AS committed_at,
           lag(topic_id) OVER log AS stood_topic_id, lag(topic_id, 2) OVER log AS removed_topic_id
    FROM history
    WINDOW log AS (PARTITION BY cluster, group_id, topic, partition ORDER BY effective_log_offset, log_offset)
),
read AS (
    SELECT *, max(committed_offset) OVER own AS read_to, first_value(committed_offset) OVER (own ORDER BY effective_log_offset, log_offset)
        AS stretch_from, max(committed_offset - previous_offset) FILTER (reads_on) OVER place AS longest_step, count(*) FILTER (kind <> 'removed') OVER (PARTITION BY cluster, group_id, topic, partition, state_log_offset)
        AS commits_in_state
    FROM stretched
    WINDOW own AS (PARTITION BY cluster, group_id, topic, partition, stretch),
           place AS (PARTITION BY cluster, group_id, topic, partition)
),
declared AS (
    SELECT *, lag(stretch_from) OVER log AS declared_from, lag(stretch_from, 2) OVER log AS declared_before_removal
    FROM read
    WINDOW log AS (PARTITION BY cluster, group_id, topic, partition ORDER BY effective_log_offset, log_offset)
)
SELECT cluster, log_partition, group_id, topic, partition, log_offset, effective_log_offset, effective_at, committed_offset, read_to,
       is_transactional, state, generation AS generation_after, state_log_offset, commits_in_state,
       kind = 'first' AS is_after_removal, removed_for,
       if(kind = 'first', removed_offset, previous_offset) AS previous_offset,
       if(kind = 'first', committed_at, stood_at) AS stood_at,
       if(kind = 'first', stood_log_offset, NULL) AS removal_log_offset,
       if(kind = 'first', stood_at, NULL) AS removed_at,
       if(kind = 'first', removed_log_offset, stood_log_offset) AS stood_log_offset,
       stood_generation AS generation_before, longest_step,
       if(kind = 'first', declared_before_removal, declared_from) AS declared_from,
       topic_id = if(kind = 'first', removed_topic_id, stood_topic_id) AS is_same_topic
FROM declared
WHERE kind = 'rewind' OR kind = 'first' AND stood_kind = 'removed'
