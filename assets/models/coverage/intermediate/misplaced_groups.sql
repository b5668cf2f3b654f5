-- Groups in a partition of the offsets topic that their ids do not hash to.
WITH group_records AS (
    SELECT
        cluster, group_id, log_partition, min(log_offset) AS log_offset, max(log_offset) AS last_log_offset,
        count(*) AS occurrences, min(occurred_at) AS first_at
    FROM (
        SELECT cluster, group_id, log_partition, log_offset, effective_at AS occurred_at
        FROM core.commits WHERE log_partition >= 0
        UNION ALL
        SELECT cluster, group_id, log_partition, log_offset, from_at
        FROM core.group_states
        WHERE source IS DISTINCT FROM 'text_log'
    )
    GROUP BY ALL
),
group_hashes AS MATERIALIZED (SELECT *, java_hash(group_id) AS hashed FROM group_records),
known_counts AS (
    SELECT cluster, max(partition_count) AS partitions, 'proven' AS certainty
    FROM raw.log_offset_samples WHERE topic = '__consumer_offsets' GROUP BY ALL
),
-- Where no broker said how many partitions there are: the number by which most of some groups are where they belong.
count_guesses AS (
    SELECT
        cluster, partitions, count_if(home_partition(hashed, partitions) = log_partition) AS fitting, count(*) AS asked
    FROM (
        SELECT *, row_number() OVER (PARTITION BY cluster ORDER BY hash(group_id), group_id) AS nth
        FROM group_hashes ANTI JOIN known_counts USING (cluster)
    )
    CROSS JOIN (SELECT unnest(generate_series(1, 1000)) AS partitions)
    WHERE nth <= 100
    GROUP BY ALL HAVING partitions > max(log_partition)
),
partition_counts AS (
    SELECT cluster, partitions, certainty FROM known_counts
    UNION ALL
    SELECT cluster, partitions, 'likely' AS certainty
    FROM (
        SELECT
            *, row_number() OVER (
                PARTITION BY cluster ORDER BY fitting DESC, (partitions = 50) DESC, partitions
            ) AS nth
        FROM count_guesses
    )
    WHERE nth = 1 AND fitting >= 5 AND fitting * 2 > asked
)
SELECT
    g.cluster, 'group_in_wrong_partition' AS kind, '__consumer_offsets' AS topic, g.log_partition AS partition,
    g.group_id, g.log_offset AS from_offset, g.last_log_offset + 1 AS to_offset, g.occurrences, g.first_at,
    c.certainty, g.log_partition, g.log_offset, g.last_log_offset,
    home_partition(g.hashed, c.partitions)::INT AS home_partition
FROM group_hashes AS g JOIN partition_counts AS c USING (cluster)
WHERE home_partition <> g.log_partition
