-- Who stood behind each commit and removal of a group (NULL: of all groups). A record does not name the member, so this
-- is who owned the partition when it was written, or who owned it last while the group had members. Without members it
-- was an admin; a group of which no coordinator ever wrote anything is a simple consumer, which assigns itself.
WITH named AS (SELECT cluster, topic_id, arg_max(topic, last_seen_at) AS topic FROM core.topics GROUP BY ALL),
owners AS (
    SELECT o.* REPLACE (coalesce(o.topic, n.topic) AS topic)
    FROM core.ownership AS o LEFT JOIN named AS n USING (cluster, topic_id)
    WHERE grp IS NULL OR o.group_id = grp
),
states AS (
    SELECT cluster, log_partition, group_id, log_offset, state, generation
    FROM core.generations
    WHERE grp IS NULL OR group_id = grp
),
written AS (FROM core.commits WHERE grp IS NULL OR group_id = grp),
owned AS (
    SELECT c.cluster, c.log_partition, c.log_offset, o.* EXCLUDE (cluster, log_partition, log_offset),
           coalesce(o.until_log_offset > c.log_offset, true) AS is_owner
    FROM written AS c
    ASOF JOIN owners AS o
        ON (o.cluster, o.log_partition, o.group_id, o.topic, o.partition)
            = (c.cluster, c.log_partition, c.group_id, c.topic, c.partition)
        AND o.log_offset <= c.log_offset
),
stood AS (
    SELECT c.cluster, c.log_partition, c.log_offset, s.state, s.generation
    FROM written AS c
    ASOF JOIN states AS s
        ON (s.cluster, s.log_partition, s.group_id) = (c.cluster, c.log_partition, c.group_id)
        AND s.log_offset <= c.log_offset
),
told AS (SELECT DISTINCT cluster, group_id, true AS is_told FROM states),
judged AS (
    SELECT c.cluster, c.group_id, c.topic, c.partition, c.effective_at, c.kind, c.committed_offset,
           CASE WHEN c.kind = 'removed' THEN 'coordinator'
                WHEN c.is_transactional THEN 'transaction'
                WHEN t.is_told IS NULL THEN 'simple consumer'
                WHEN s.state = 'Empty' THEN 'admin'
                WHEN s.state IS NULL OR s.state IN ('Removed', 'Converted') OR o.member_id IS NULL THEN 'unknown'
                WHEN o.is_owner THEN 'owner'
                ELSE 'former owner' END AS "by",
           coalesce(s.generation, o.generation) AS generation,
           o.member_id, o.client_id, o.client_host AS host, o.group_instance_id, c.producer_id,
           c.log_partition, c.log_offset
    FROM written AS c
    LEFT JOIN owned AS o USING (cluster, log_partition, log_offset)
    LEFT JOIN stood AS s USING (cluster, log_partition, log_offset)
    LEFT JOIN told AS t ON (t.cluster, t.group_id) = (c.cluster, c.group_id)
)
SELECT * EXCLUDE (is_member) REPLACE (
    CASE WHEN is_member THEN member_id END AS member_id,
    CASE WHEN is_member THEN client_id END AS client_id,
    CASE WHEN is_member THEN host END AS host,
    CASE WHEN is_member THEN group_instance_id END AS group_instance_id
)
FROM (SELECT *, "by" IN ('owner', 'former owner', 'transaction') AS is_member FROM judged)
