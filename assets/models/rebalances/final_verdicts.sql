-- Rows of the last run that no later record can change: the verdict was not undecided, and the owners before are known.
-- The generation must still be there.
SELECT w.*
FROM mart.assignor_what_if AS w
SEMI JOIN internal.recorded_group_states USING (cluster, log_partition, group_id, log_offset)
QUALIFY bool_and(partitions_moved IS NOT NULL AND verdict IS DISTINCT FROM 'undecided') OVER (
    PARTITION BY w.cluster, w.log_partition, w.group_id, w.log_offset
)
