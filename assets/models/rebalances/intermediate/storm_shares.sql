-- Which member, instance, client and host had the most changes, and their share of all.
WITH names AS (
    UNPIVOT (
        SELECT
            cluster,
            log_partition,
            group_id,
            storm,
            member_id AS member,
            group_instance_id AS instance,
            client_id AS client,
            client_host AS host
        FROM storm_member_changes SEMI JOIN storm_patterns USING (cluster, log_partition, group_id, storm)
    ) ON member, instance, client, host INTO NAME dimension VALUE name
),
change_counts AS (
    SELECT cluster, log_partition, group_id, storm, dimension, name, count(*) AS changes
    FROM names GROUP BY ALL
),
-- Every change has a member, so all changes of a storm are those by member.
shares AS (
    SELECT
        *,
        changes
        / sum(if(dimension = 'member', changes, 0))
            OVER (PARTITION BY cluster, log_partition, group_id, storm)
            AS share
    FROM change_counts
),
largest_shares AS (
    SELECT
        cluster,
        log_partition,
        group_id,
        storm,
        dimension,
        arg_max(name, { 'changes': changes, 'name': name }) AS name,
        max(share) AS share
    FROM shares GROUP BY ALL
)
SELECT
    cluster,
    log_partition,
    group_id,
    storm,
    map_from_entries(list((dimension, name))) AS names,
    map_from_entries(list((dimension, share))) AS shares
FROM largest_shares GROUP BY ALL
