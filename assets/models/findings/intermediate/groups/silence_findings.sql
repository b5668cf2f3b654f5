-- Partitions with offsets left to read of which nothing was committed for the last ten minutes of what was read of
-- their cluster, in the offsets topic or in stores, and for three times as long as from one commit to the next; where
-- only markers of transactions are left nothing waits. Where only bounds of a log's end are known, it is behind by the
-- lower one at least. The last state of the group decides the word: with members it has stopped, Empty it was closed.
-- Groups that a tool names by chance are not expected to come back.
WITH ends AS (
    FROM core.log_ends
    SEMI JOIN (FROM mart.lag_now WHERE coalesce(lag, lag_lower) > 0) AS b USING (cluster, topic, partition)
    WHERE until_at IS NULL AND log_end_offset IS NOT NULL
),
topic_offsets AS (FROM mart.offsets_now WHERE log_partition >= 0),
store_offsets AS (FROM mart.offsets_now WHERE log_partition < 0),
-- The files of stores outside Kafka may be newer than those of the brokers, or older.
newest_commits AS (
    SELECT cluster, newest_at AS last_at, FALSE AS is_of_store FROM _newest_of('topic_offsets')
    UNION ALL
    SELECT cluster, newest_at, TRUE FROM _newest_of('store_offsets')
),
-- What is new in a sample came after the one before it.
appends AS (
    SELECT cluster, topic, partition, reached_at AS appended_at FROM ends WHERE source = 'batch'
    UNION ALL
    SELECT cluster, topic, partition, lag(reached_at) OVER log FROM ends WHERE source <> 'batch'
    WINDOW log AS (PARTITION BY cluster, topic, partition ORDER BY reached_at)
    QUALIFY log_end_offset > lag(log_end_offset) OVER log
)
SELECT
    'stopped' AS kind,
    cluster,
    group_id,
    topic,
    partition,
    claim_kind,
    if(claim_kind = 'closed', closed_at, effective_at) AS occurred_at,
    current_offset AS possible_from, log_end_upper AS possible_to,
    if(certainty = 'proven', current_offset, NULL) AS certain_from,
    if(certainty = 'proven', log_end_lower, NULL) AS certain_to, current_offset AS estimate_from,
    log_end_lower AS estimate_to,
    'unknown' AS cause,
    certainty,
    member_id,
    client_id,
    client_host,
    log_partition,
    log_offset,
    [log_offset] AS evidence,
    CASE claim_kind
        WHEN 'closed'
            THEN coalesce(
                strftime(closed_at, 'has had no members since %Y-%m-%d %H:%M:%S UTC, {} behind'),
                'has no members, {} behind'
            )
        WHEN 'silent' THEN 'has stopped committing, {} behind'
        WHEN 'stopped' THEN 'has stopped, {} behind'
        WHEN 'waits' THEN 'has stopped, {} behind'
        ELSE 'left {} unread'
    END AS claim
FROM (
    SELECT
        l.* REPLACE (
            coalesce(log_end_offset, log_end_lower) AS log_end_lower,
            coalesce(log_end_offset, log_end_upper) AS log_end_upper
        ),
        o.log_partition, o.log_offset, o.effective_at, s.from_at AS closed_at,
        CASE
            WHEN a.cause <> 'no_members' THEN a.cause
            WHEN s.state = 'Empty' OR a.cause = 'no_members' THEN 'closed'
            WHEN s.state IS NULL OR s.state = 'Dead' THEN 'silent'
            WHEN e.appended_at > o.effective_at THEN 'stopped'
            ELSE 'waits'
        END AS claim_kind,
        if(s.is_known AND claim_kind <> 'silent', 'proven', 'likely') AS certainty,
        coalesce(e.appended_at > coalesce(if(claim_kind = 'closed', s.from_at, NULL), o.effective_at), FALSE)
            AS has_gone_on
    FROM mart.lag_now AS l
    JOIN mart.offsets_now AS o USING (cluster, group_id, topic, partition)
    JOIN newest_commits AS n ON n.cluster = o.cluster AND n.is_of_store = (o.log_partition < 0)
    LEFT JOIN commit_intervals AS i USING (cluster, group_id, topic, partition)
    LEFT JOIN mart.stale_offsets AS a USING (cluster, group_id, topic, partition)
    LEFT JOIN (
        SELECT cluster, group_id, state, from_at, is_known FROM recorded_states_at('infinity'::TIMESTAMPTZ)
        QUALIFY row_number() OVER (PARTITION BY cluster, group_id ORDER BY from_at DESC NULLS LAST) = 1
    ) AS s USING (cluster, group_id)
    LEFT JOIN (
        SELECT cluster, topic, partition, max(appended_at) AS appended_at FROM appends GROUP BY ALL
    ) AS e USING (cluster, topic, partition)
    WHERE
        coalesce(l.lag, l.lag_lower) > 0
        AND l.records IS DISTINCT FROM 0
        AND o.effective_at < n.last_at - INTERVAL 10 MINUTE
        AND coalesce(epoch_ms(n.last_at) - epoch_ms(o.effective_at) >= 3 * i.interval_ms, TRUE)
        AND (s.state <> 'Empty' OR s.from_at IS NULL OR s.from_at < n.last_at - INTERVAL 10 MINUTE)
)
WHERE
    claim_kind IN ('stopped', 'waits')
    OR NOT _is_throwaway(group_id) AND (has_gone_on OR claim_kind NOT IN ('closed', 'silent'))
