-- Commits that went over a log start: members may have read on from there.
WITH crossed_starts AS (SELECT DISTINCT cluster, topic, partition, log_start_offset FROM log_start_crossings),
last_reads AS (
    SELECT cluster, topic, partition, log_start_offset, max(effective_at) AS read_last_at
    FROM core.commits JOIN _cardinality_hint('crossed_starts') USING (cluster, topic, partition)
    WHERE kind = 'advance' AND committed_offset <= log_start_offset
    GROUP BY ALL
)
SELECT
    c.*,
    'overtaken_by_log_start' AS claim_kind,
    previous_offset AS possible_from,
    committed_offset AS possible_to,
    'log_start' AS cause,
    coalesce(read_last_at <= effective_at, TRUE) AS is_read_by_none
FROM log_start_crossings AS c
LEFT JOIN last_reads USING (cluster, topic, partition, log_start_offset)
