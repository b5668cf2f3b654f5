-- What it costs to set partitions of groups to other offsets: a list of {cluster, group_id, topic, partition, target}. An offset
-- below the log start is raised to it. Records and bytes are known where every batch in between was seen and nothing was
-- compacted away; those of aborted transactions are among them.
WITH asked AS (SELECT unnest(moves, max_depth := 2)),
placed AS (
    SELECT a.cluster, a.group_id, a.topic, a.partition, n.current_offset, a.target,
           greatest(a.target, e.log_start_offset) AS "offset", e.log_start_offset, e.log_end_offset, o.member_id,
           "offset" >= 0 AND n.current_offset >= 0 AS is_sound,
           if(is_sound, least("offset", n.current_offset), NULL) AS low,
           if(is_sound, greatest("offset", n.current_offset), NULL) AS high
    FROM asked AS a
    LEFT JOIN mart.offsets_now AS n USING (cluster, group_id, topic, partition)
    LEFT JOIN mart.lag_now AS o USING (cluster, group_id, topic, partition)
    LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
    WHERE a.target IS NOT NULL
),
between AS (
    SELECT p.cluster, p.group_id, p.topic, p.partition, sum(b.size_bytes) AS bytes,
           sum(least(b.last_offset + 1, high) - greatest(b.base_offset, low)) AS covered,
           bool_and(b.is_control OR coalesce(b.record_count = b.last_offset - b.base_offset + 1, false)) AS is_whole,
           sum(if(b.is_control, 0, least(b.last_offset + 1, high) - greatest(b.base_offset, low))) AS records
    FROM placed AS p
    JOIN raw.batches AS b USING (cluster, topic, partition)
    WHERE b.last_offset >= low AND b.base_offset < high AND low < high
    GROUP BY ALL
)
SELECT p.* EXCLUDE (is_sound, low, high),
       if(is_sound, greatest(current_offset - "offset", 0), NULL) AS offsets_again,
       if(is_sound, greatest("offset" - current_offset, 0), NULL) AS offsets_skipped,
       if(target >= 0 AND log_start_offset >= 0, greatest(log_start_offset - target, 0), NULL) AS offsets_lost,
       CASE WHEN low = high THEN 0 WHEN is_whole AND covered = high - low THEN records END::BIGINT AS records,
       CASE WHEN low = high THEN 0 WHEN covered = high - low THEN bytes END::BIGINT AS bytes
FROM placed AS p LEFT JOIN between USING (cluster, group_id, topic, partition)
ORDER BY cluster, group_id, topic, partition
