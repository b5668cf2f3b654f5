-- The keys of which replays may tell: those that owners had, by their numbers, and those that were set back or removed;
-- and the `rank` of each by its names.
WITH owned_keys AS (SELECT DISTINCT key, cluster, log_partition, group_id, topic, partition FROM ownership_ends),
moved_keys AS (
    SELECT DISTINCT cluster, log_partition, group_id, topic, partition
    FROM core.commits
    WHERE
        kind IN ('rewind', 'removed')
        AND log_partition BETWEEN coalesce(getvariable('from_partition'), -2147483648) AND coalesce(
            getvariable('to_partition'), 2147483647
        )
)
SELECT *, rank() OVER (ORDER BY cluster, group_id, topic, partition) AS rank
FROM (
    FROM owned_keys
    UNION ALL BY NAME
    SELECT coalesce((SELECT max(key) FROM owned_keys), -1) + row_number() OVER () AS key, *
    FROM moved_keys ANTI JOIN owned_keys USING (cluster, log_partition, group_id, topic, partition)
)
