-- The commits that are looked up, with the numbers of their keys: older ones, of which DuckDB leaves out what lies
-- before the variable, and the new ones of all keys without older ones.
SELECT c.*, k.key
FROM core.commits AS c JOIN replay_searched_keys AS k USING (cluster, log_partition, group_id, topic, partition)
WHERE
    c.log_partition BETWEEN coalesce(getvariable('from_partition'), -2147483648) AND coalesce(
        getvariable('to_partition'), 2147483647
    )
    AND c.effective_log_offset >= getvariable('searched_from') AND c.effective_log_offset >= k.from_position
UNION ALL
SELECT c.*, k.key
FROM new_rows AS c
JOIN
    (FROM replay_keys ANTI JOIN replay_searched_keys USING (key)) AS k
    USING (cluster, log_partition, group_id, topic, partition)
