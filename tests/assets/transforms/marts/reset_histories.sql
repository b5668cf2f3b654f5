-- The commits and removals of these keys, each with the state of the group before it, and how far the key had come.
WITH states AS (
    SELECT grp, g.log_offset, g.is_gap_free AND g.state IN ('Stable', 'Assigning', 'Reconciling') AS is_read_in
    FROM core.generations AS g
    JOIN
        (SELECT DISTINCT cluster, log_partition, group_id, grp FROM replay_reset_keys)
        USING (cluster, log_partition, group_id)
)
SELECT
    *,
    row_number() OVER log AS nth,
    count_if(NOT reads_on) OVER log AS stretch,
    min(committed_offset) OVER log AS lowest_so_far
FROM (
    SELECT
        c.* EXCLUDE (grp, is_batch), g.log_offset AS state_log_offset, coalesce(g.is_read_in, FALSE) AS is_read_in,
        coalesce(c.is_ahead AND (g.is_read_in OR c.is_batch), FALSE) AS reads_on
    FROM (
        SELECT
            k.key, k.grp, c.log_offset, c.effective_log_offset AS position, c.committed_offset, c.previous_offset,
            c.store_kind = 'spark_checkpoint' AS is_batch, c.kind IN ('advance', 'repeat') AS is_ahead, c.kind IN ('rewind', 'first') AS is_turn
        FROM core.commits AS c JOIN replay_reset_keys AS k USING (cluster, log_partition, group_id, topic, partition)
    ) AS c
    ASOF LEFT JOIN states AS g ON g.grp = c.grp AND g.log_offset < c.position
)
WINDOW log AS (PARTITION BY key ORDER BY position, log_offset ROWS UNBOUNDED PRECEDING)
