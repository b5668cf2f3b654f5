-- What is only possible between two instants, and what may have been at a time that nothing tells: of each group how
-- many claims of a kind nothing excludes and nothing bears out, what they come to at most, and what would settle them;
-- and groups whose members own partitions and commit nothing, not even in a transaction, of which nothing can be known.
-- Ordinary hand-overs are left out, since at-least-once delivery has them, and re-reads by a commit that rather went
-- past offsets.
WITH claim_needs AS (
    SELECT
        c.*,
        coalesce(d.log_ends_from, '') <> 'segments' AS wants_segments,
        coalesce(h.unseen_offsets, 0) > 0 AS wants_copy
    FROM _possible_claims() AS c
    LEFT JOIN mart.basis AS d ON d.cluster = c.cluster AND d.topic = c.topic AND d.partition = c.partition
    LEFT JOIN mart.basis AS h
        ON h.cluster = c.cluster AND h.topic = '__consumer_offsets' AND h.partition = c.log_partition
    WHERE coalesce(c.from_at < to_ts, TRUE) AND coalesce(c.to_at >= from_ts, TRUE)
),
times AS (SELECT cluster, newest_record_at AS effective_at FROM mart.basis),
newest_times AS (SELECT cluster, newest_at AS last_at FROM _newest_of('times')),
owners AS (
    SELECT DISTINCT o.cluster, o.group_id, o.topic, o.topic_id, o.partition
    FROM core.ownership AS o
    JOIN newest_times AS n USING (cluster)
    WHERE
        o.group_type <> 'share' AND coalesce(o.until_at, n.last_at) > o.seen_at + INTERVAL 1 MINUTE
        AND NOT _is_throwaway(o.group_id)
        AND coalesce(o.seen_at < to_ts, TRUE) AND coalesce(o.until_at >= from_ts, TRUE)
)
SELECT
    cluster,
    group_id,
    kind,
    count(*) AS claims,
    count(DISTINCT { 'topic': topic, 'partition': partition }) AS partitions,
    list_sort(list_distinct(list(topic))) AS topics,
    if(count(possible_to) = count(*), _as_bigint(sum(possible_to::HUGEINT - possible_from)), NULL) AS possible_offsets,
    list_sort(list_distinct(list(claim_kind))) AS reasons,
    list_filter(
        [
            if(bool_or(wants_segments), 'data_segments', NULL), if(bool_or(wants_copy), 'earlier_copy', NULL),
            if(bool_or(cause = 'member_left_or_crashed'), 'text_logs', NULL),
            if(bool_or(is_unrecorded), 'application_logs', NULL)
        ],
        LAMBDA need: need IS NOT NULL
    ) AS needs,
    coalesce(list_sort(list_distinct(list(topic) FILTER (wants_segments))), []) AS topics_to_mount
FROM claim_needs GROUP BY cluster, group_id, kind
UNION ALL
SELECT
    cluster,
    group_id,
    'no_commits' AS kind,
    count(*),
    count(*),
    coalesce(list_sort(list_distinct(list(topic))), []),
    NULL,
    ['commits nothing'], ['application_logs'], []
FROM owners
ANTI JOIN core.commits USING (cluster, group_id)
ANTI JOIN (SELECT cluster, unnest(groups) AS group_id FROM core.transactions) AS t USING (cluster, group_id)
GROUP BY cluster, group_id
ORDER BY cluster, group_id, kind
