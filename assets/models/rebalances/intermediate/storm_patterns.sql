-- The pattern of each storm, the plainest that it has.
WITH repeated_causes AS (
    SELECT cluster, log_partition, group_id, storm, trigger AS name, count(*) - 1 AS rounds
    FROM storm_rebalances AS n ANTI JOIN storm_member_changes AS c
        ON
            c.cluster = n.cluster
            AND c.log_partition = n.log_partition
            AND c.group_id = n.group_id
            AND c.rebalance = n.log_offset
    WHERE trigger <> 'unknown' AND members_joined IS NOT NULL AND members_left IS NOT NULL
    GROUP BY ALL HAVING rounds >= 3
),
patterns AS (
    SELECT
        cluster, log_partition, group_id, storm, 1 AS first_of, 'member_returns' AS pattern, rounds, name AS repeated
    FROM returning_members
    UNION ALL
    SELECT cluster, log_partition, group_id, storm, 2, 'same_cause', rounds, name FROM repeated_causes
    UNION ALL
    SELECT cluster, log_partition, group_id, storm, 3, 'mostly_stopped', NULL, NULL FROM storm_totals
    WHERE rebalances >= 5 AND 2 * still_ms > epoch_ms(to_at) - epoch_ms(from_at)
)
FROM patterns
QUALIFY row_number() OVER (
    PARTITION BY cluster, log_partition, group_id, storm ORDER BY first_of, rounds DESC, repeated
) = 1
