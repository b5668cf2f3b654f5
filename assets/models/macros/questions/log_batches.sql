-- The batches of data logs, each with the epoch of the leader that it was lost to, if it was. Where copies of a log
-- went different ways, any of them may have been read first and kept: batches of another epoch than the kept one are
-- taken from what contradicts. In one log epochs never go down, so a batch behind one of a later epoch was lost to
-- that.
WITH diverged_logs AS MATERIALIZED (SELECT DISTINCT cluster, topic, partition FROM raw.diverged_batches),
kept_batches AS (FROM raw.batches SEMI JOIN diverged_logs USING (cluster, topic, partition)),
others AS (
    SELECT DISTINCT ON (d.cluster, d.topic, d.partition, d.leader_epoch, d.base_offset)
        d.* EXCLUDE (broker_id, path, read_at)
    FROM raw.diverged_batches AS d
    ANTI JOIN kept_batches AS k
        ON
            k.cluster = d.cluster
            AND k.topic = d.topic
            AND k.partition = d.partition
            AND k.leader_epoch IS NOT DISTINCT FROM d.leader_epoch
            AND d.base_offset BETWEEN k.base_offset AND k.last_offset
    WHERE d.leader_epoch IS NOT NULL
    ORDER BY d.read_at
)
SELECT *, NULL AS lost_to FROM raw.batches ANTI JOIN diverged_logs USING (cluster, topic, partition)
UNION ALL BY NAME
SELECT * EXCLUDE (epoch_before), if(epoch_before > leader_epoch, epoch_before, NULL) AS lost_to
FROM (
    SELECT *, max(leader_epoch) OVER (PARTITION BY cluster, topic, partition ORDER BY base_offset) AS epoch_before
    FROM (
        FROM kept_batches
        UNION ALL BY NAME
        FROM others
    )
)
