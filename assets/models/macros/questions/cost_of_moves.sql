-- What it costs to set partitions of groups to other offsets: a list of {cluster, group_id, topic, partition, target}.
-- An offset below the log start is raised to it. Records and bytes are NULL where segments don't tell, as for
-- `records_in`.
WITH requests AS (SELECT unnest(moves, max_depth := 2)),
targets AS (
    SELECT
        a.cluster, a.group_id, a.topic, a.partition, n.current_offset, a.target,
        if(a.target IS NULL, NULL, greatest(a.target, e.log_start_offset)) AS "offset",
        e.log_start_offset,
        e.log_end_offset,
        o.member_id,
        "offset" >= 0 AND n.current_offset >= 0 AS is_sound
    FROM requests AS a
    LEFT JOIN mart.offsets_now AS n USING (cluster, group_id, topic, partition)
    LEFT JOIN mart.lag_now AS o USING (cluster, group_id, topic, partition)
    LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
),
ranges AS (
    SELECT
        cluster, group_id, topic, partition, least("offset", current_offset) AS from_offset,
        greatest("offset", current_offset) AS to_offset
    FROM targets WHERE is_sound
)
SELECT
    p.* EXCLUDE (is_sound),
    if(is_sound, greatest(p.current_offset - p."offset", 0), NULL) AS offsets_again,
    if(is_sound, greatest(p."offset" - p.current_offset, 0), NULL) AS offsets_skipped,
    if(p.target >= 0 AND p.log_start_offset >= 0, greatest(p.log_start_offset - p.target, 0), NULL) AS offsets_lost,
    if(m.from_offset = m.to_offset, 0, r.records) AS records, if(m.from_offset = m.to_offset, 0, r.bytes) AS bytes
FROM targets AS p
LEFT JOIN ranges AS m USING (cluster, group_id, topic, partition)
LEFT JOIN records_in('ranges') AS r USING (cluster, topic, partition, from_offset, to_offset)
ORDER BY p.cluster, p.group_id, p.topic, p.partition
