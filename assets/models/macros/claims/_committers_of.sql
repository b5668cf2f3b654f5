-- Who stood behind each of some commits and removals, as core.commits says; `commits` names a table, or a WITH, of rows
-- of core.commits. Groups of the newer kinds know topics by their ids; where the log had not said an id's name before
-- the commit, the owner is found here by the name that files and brokers tell. Owners over a hole in the log are not
-- taken, for they may have ended in it.
WITH rows_of_commits AS (FROM query_table(commits)),
groups AS (SELECT DISTINCT cluster, log_partition, group_id FROM rows_of_commits),
owners AS (
    SELECT o.cluster, o.log_partition, o.group_id, o.member_id, n.topic, o.partition, o.log_offset, o.until_log_offset
    FROM core.ownership AS o
    SEMI JOIN groups USING (cluster, log_partition, group_id)
    JOIN _topic_names() AS n USING (cluster, topic_id)
    WHERE o.topic IS NULL AND o.end_reason IS DISTINCT FROM 'unknown'
),
versions AS (
    FROM core.members
    WHERE (cluster, log_partition, group_id) IN (SELECT (cluster, log_partition, group_id) FROM owners)
),
owned_commits AS (
    SELECT c.cluster, c.log_partition, c.log_offset, o.group_id, o.member_id
    FROM rows_of_commits AS c
    ASOF JOIN owners AS o
        ON
            o.cluster = c.cluster AND o.log_partition = c.log_partition AND o.group_id = c.group_id
            AND o.topic = c.topic AND o.partition = c.partition
            AND o.log_offset <= c.log_offset
    WHERE
        c.actor IN ('unknown', 'transaction') AND c.member_id IS NULL
        AND coalesce(o.until_log_offset > c.log_offset, TRUE)
),
committers AS (
    SELECT
        o.cluster, o.log_partition, o.log_offset, o.member_id, v.generation, v.client_id, v.client_host,
        v.group_instance_id
    FROM owned_commits AS o
    ASOF JOIN versions AS v
        ON
            v.cluster = o.cluster AND v.log_partition = o.log_partition AND v.group_id = o.group_id
            AND v.member_id = o.member_id
            AND v.log_offset <= o.log_offset
)
SELECT
    c.cluster, c.group_id, c.topic, c.partition, c.effective_at, c.kind, c.committed_offset,
    CASE WHEN c.actor = 'unknown' AND f.member_id IS NOT NULL THEN 'owner' ELSE c.actor END AS actor,
    coalesce(f.generation, c.generation) AS generation,
    coalesce(c.member_id, f.member_id) AS member_id, coalesce(c.client_id, f.client_id) AS client_id,
    coalesce(c.client_host, f.client_host) AS client_host,
    coalesce(c.group_instance_id, f.group_instance_id) AS group_instance_id, c.producer_id,
    c.log_partition, c.log_offset
FROM rows_of_commits AS c
LEFT JOIN committers AS f USING (cluster, log_partition, log_offset)
