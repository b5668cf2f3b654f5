-- The records of the groups of these keys, and whether members read in the state that each began.
SELECT
    grp, g.log_offset,
    coalesce(g.is_gap_free AND g.state IN ('Stable', 'Assigning', 'Reconciling'), FALSE) AS is_read_in
FROM _group_records() AS g
JOIN
    (SELECT DISTINCT cluster, log_partition, group_id, grp FROM replay_reset_keys)
    USING (cluster, log_partition, group_id)
ORDER BY grp, g.log_offset
