-- How far the data logs had come at the moments that matter.
WITH moments AS (
    SELECT DISTINCT
        cluster, topic, partition, unnest([state_at, asked_at, stood_at, members_at, effective_at]) AS moment
    FROM skip_candidates JOIN skip_surroundings USING (cluster, log_partition, log_offset, claim_kind)
)
FROM _log_bounds('moments')
