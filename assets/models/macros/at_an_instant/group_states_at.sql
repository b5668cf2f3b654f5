-- The state of a group (NULL: of all groups) at an instant, by what was last written or logged of it before. To its
-- coordinator a group without a record, or one that committed behind its removal, is Empty for as long as it has
-- offsets: that it has no record is known where nothing of its partition that came later was missed. At the end of the
-- log that may be what the cleaner left, for it leaves the last record of each group; before, records that it removed
-- may have stood.
WITH recorded_states AS (FROM recorded_states_at(ts, grp := grp)),
-- The offset store as state_at has it, of groups alone that are not told to be there: that leaves few.
stored_offsets AS (
    SELECT cluster, log_partition, group_id, last
    FROM (
        SELECT
            cluster, log_partition, group_id,
            arg_max(
                { 'kind': kind, 'log_offset': log_offset, 'effective_at': effective_at },
                effective_log_offset::HUGEINT * 9223372036854775808 + log_offset
            ) AS last
        FROM _offsets_since(ts, grp := grp)
        ANTI JOIN (FROM recorded_states WHERE state IS DISTINCT FROM 'Dead') AS t USING (cluster, group_id)
        GROUP BY cluster, log_partition, group_id, topic, partition
    )
    WHERE last.kind <> 'removed'
),
simple_groups AS (
    SELECT s.cluster, s.log_partition, s.group_id, coalesce(max(t.log_offset) + 1, 0) AS missed_from
    FROM stored_offsets AS s
    LEFT JOIN (FROM recorded_states WHERE state = 'Dead') AS t
        ON
            t.cluster = s.cluster
            AND t.group_id = s.group_id
            AND coalesce(t.log_partition, s.log_partition) = s.log_partition
    GROUP BY s.cluster, s.log_partition, s.group_id
    HAVING bool_or(
        t.group_id IS NULL OR if(t.source = 'text_log', last.effective_at > t.from_at, last.log_offset > t.log_offset)
    )
),
stretches AS (
    SELECT
        cluster, partition AS log_partition, from_offset, end_offset, log_start_offset, quarantined_count,
        end_offset - from_offset > record_count AS has_holes,
        max(read_at) OVER (PARTITION BY cluster, partition) <= ts AS is_end
    FROM raw.segments
    WHERE
        topic = '__consumer_offsets' AND end_offset > from_offset
        AND partition IN (SELECT log_partition FROM simple_groups)
),
groups_with_records AS (
    SELECT
        *, max(end_offset) OVER (
            PARTITION BY cluster, log_partition
            ORDER BY from_offset, end_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS seen_to
    FROM stretches WHERE quarantined_count = 0 AND (is_end OR NOT has_holes)
),
-- Behind which offset nothing of a partition is missing. What lies before the log's start no broker loads any more.
gap_free_groups AS (
    SELECT e.cluster, e.log_partition, if(s.seen_to = e.end_offset, s.whole_from, e.end_offset) AS whole_from
    FROM (SELECT cluster, log_partition, max(end_offset) AS end_offset FROM stretches GROUP BY ALL) AS e
    JOIN (
        SELECT
            cluster, log_partition, max(end_offset) AS seen_to,
            coalesce(max(from_offset) FILTER (from_offset > coalesce(seen_to, if(is_end, log_start_offset, 0), 0)), 0)
                AS whole_from
        FROM groups_with_records GROUP BY ALL
    ) AS s USING (cluster, log_partition)
)
SELECT t.* EXCLUDE (log_offset)
FROM recorded_states AS t
ANTI JOIN simple_groups AS s ON s.cluster = t.cluster AND s.group_id = t.group_id AND s.log_partition = t.log_partition
UNION ALL
SELECT
    s.cluster, s.log_partition, s.group_id, if(is_known, 'simple', NULL), if(is_known, 'Empty', NULL), NULL, NULL,
    if(is_known, 0, NULL), NULL, 'offsets', NULL, is_known
FROM (
    SELECT s.*, coalesce(w.whole_from <= s.missed_from, FALSE) AS is_known
    FROM simple_groups AS s LEFT JOIN gap_free_groups AS w USING (cluster, log_partition)
) AS s
