-- What moved one offset of one group between two instants, in the order of the log: commits (those that read on without
-- anything in between as one row; one by which offsets were passed over, proven or likely, apart), removals and why,
-- who came to own the partition and who gave it up, states of the group, where the log was found to begin, and from
-- when on the topic had another id: it was deleted and made anew.
WITH skips AS (
    SELECT cluster, log_partition, log_offset, any_value(kind) AS claim_kind
    FROM mart.skips
    WHERE group_id = grp AND topic = tpc AND partition = prt AND certainty <> 'possible'
    GROUP BY cluster, log_partition, log_offset
),
commit_events AS (
    SELECT
        cluster, log_partition, log_offset, effective_log_offset AS place, effective_at AS occurred_at,
        if(has_passed, 'passed_over', kind) AS kind, previous_offset, committed_offset, actor, member_id, client_id,
        client_host, generation, state, if(has_passed, claim_kind, cause) AS cause, idle_ms,
        kind IN ('advance', 'repeat') AND (state IS DISTINCT FROM 'Empty') AND NOT has_passed AS reads_on
    FROM (
        SELECT
            c.* REPLACE (g.generation AS generation), g.state, s.claim_kind,
            c.kind = 'advance' AND (g.state IS DISTINCT FROM 'Empty') AND s.claim_kind IS NOT NULL AS has_passed
        FROM (
            FROM core.commits
            WHERE group_id = grp AND topic = tpc AND partition = prt AND log_partition IN (FROM _partitions_of(grp))
        ) AS c
        ASOF LEFT JOIN (FROM _group_records() WHERE group_id = grp) AS g
            ON c.cluster = g.cluster AND c.log_partition = g.log_partition AND c.effective_log_offset > g.log_offset
        LEFT JOIN skips AS s
            ON s.cluster = c.cluster AND s.log_partition = c.log_partition AND s.log_offset = c.log_offset
    )
),
runs AS (
    SELECT *, count_if(is_new) OVER (PARTITION BY cluster, log_partition ORDER BY place, log_offset) AS run
    FROM (
        SELECT
            *, NOT reads_on OR NOT coalesce(lag(reads_on) OVER log, FALSE)
            OR (generation IS DISTINCT FROM lag(generation) OVER log)
            OR ((actor, member_id) IS DISTINCT FROM lag((actor, member_id)) OVER log) AS is_new
        FROM commit_events
        WINDOW log AS (PARTITION BY cluster, log_partition ORDER BY place, log_offset)
    )
),
commits AS (
    SELECT
        cluster, min(occurred_at) AS occurred_at, max(occurred_at) AS until_at, log_partition,
        arg_min(log_offset, (place, log_offset)) AS log_offset,
        arg_max(log_offset, (place, log_offset)) AS until_log_offset,
        if(any_value(reads_on), 'read_on', any_value(kind)) AS event,
        count(*) AS commits, arg_min(previous_offset, (place, log_offset)) AS from_offset,
        arg_max(committed_offset, (place, log_offset)) AS to_offset,
        any_value(actor) AS actor, any_value(member_id) AS member_id, any_value(client_id) AS client_id,
        any_value(client_host) AS client_host, any_value(generation) AS generation, any_value(state) AS detail,
        any_value(cause) AS cause, any_value(idle_ms) AS idle_ms
    FROM runs GROUP BY cluster, log_partition, run
),
owners AS (
    SELECT
        o.cluster,
        o.log_partition,
        o.member_id,
        o.client_id,
        o.client_host,
        o.generation,
        o.last_generation,
        o.end_reason,
        o.log_offset, o.seen_at, o.until_log_offset, o.until_at
    FROM _owners_by_name(grp := grp) AS o
    WHERE o.partition = prt AND o.topic = tpc
),
events AS (
    SELECT
        cluster,
        occurred_at,
        until_at,
        log_partition,
        log_offset,
        until_log_offset,
        event,
        commits,
        from_offset,
        to_offset,
        actor, member_id, client_id, client_host, generation, detail, cause, idle_ms
    FROM commits
    UNION ALL BY NAME
    SELECT
        cluster, seen_at AS occurred_at, log_partition, log_offset, 'owned' AS event, member_id, client_id,
        client_host, generation
    FROM owners
    UNION ALL BY NAME
    SELECT
        cluster, until_at AS occurred_at, log_partition, until_log_offset AS log_offset, 'given_up' AS event, member_id,
        client_id, client_host, last_generation AS generation, end_reason AS detail
    FROM owners WHERE until_log_offset IS NOT NULL
    UNION ALL BY NAME
    SELECT cluster, from_at AS occurred_at, log_partition, log_offset, 'group' AS event, generation, state AS detail
    FROM core.group_states WHERE group_id = grp AND source IS DISTINCT FROM 'text_log'
    UNION ALL BY NAME
    SELECT
        cluster,
        reached_at AS occurred_at,
        'log_start' AS event,
        max(log_start_offset) AS to_offset,
        any_value(source) AS detail
    FROM core.log_ends WHERE topic = tpc AND partition = prt AND log_start_offset > 0 GROUP BY cluster, reached_at
    UNION ALL BY NAME
    SELECT cluster, seen_at AS occurred_at, 'new_topic' AS event, topic_id AS detail
    FROM (
        SELECT cluster, topic_id, min(reached_at) AS seen_at
        FROM core.log_ends WHERE topic = tpc AND partition = prt AND topic_id IS NOT NULL GROUP BY ALL
    )
    QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY seen_at) > 1
)
SELECT
    cluster, occurred_at, until_at, log_partition, log_offset, until_log_offset, event, commits, from_offset, to_offset,
    actor, member_id, client_id, client_host, generation, detail, cause, idle_ms
FROM events
WHERE coalesce(occurred_at <= to_ts AND coalesce(until_at, occurred_at) >= from_ts, TRUE)
ORDER BY cluster, coalesce(occurred_at, 'infinity'::TIMESTAMPTZ), log_offset, event = 'owned', event
