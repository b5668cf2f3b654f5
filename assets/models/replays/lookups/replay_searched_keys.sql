-- The keys of which older commits are looked up, too, and from where on. All of them (`is_whole`): in partitions where
-- nothing is remembered, or where older commits came late; of keys that were set back of which nothing is remembered,
-- or whose group was in other states. Where other owners ended than before, or elsewhere, from `changed_from` on, the
-- commits are looked up since the stretch of commits before the last end (`anchor_place`) that lies before all of this.
WITH other_ends AS (
    SELECT key, min(least(until_log_offset, from_log_offset)) AS changed_from
    FROM (
        SELECT coalesce(e.key, b.key) AS key, until_log_offset, from_log_offset
        FROM (SELECT DISTINCT key, until_log_offset, from_log_offset, owned_log_offset FROM ownership_ends) AS e
        FULL JOIN replay_earlier_ends AS b USING (key, until_log_offset, from_log_offset, owned_log_offset)
        WHERE e.key IS NULL OR b.key IS NULL
    )
    GROUP BY ALL
),
first_places AS (
    SELECT key, c.changed_from, min(least(until_log_offset, from_log_offset)) AS first_place
    FROM ownership_ends JOIN other_ends AS c USING (key)
    WHERE greatest(until_log_offset, from_log_offset) >= c.changed_from
    GROUP BY ALL
),
anchors AS (
    SELECT
        key, f.changed_from, max(greatest(until_log_offset, from_log_offset)) AS anchor_place,
        arg_max(stretch_position, greatest(until_log_offset, from_log_offset)) AS from_position
    FROM replay_earlier_ends JOIN first_places AS f USING (key)
    WHERE greatest(until_log_offset, from_log_offset) < f.first_place AND stretch_position IS NOT NULL
    GROUP BY ALL
),
runs AS (
    SELECT r.*, k.key, k.grp
    FROM earlier_reset_runs AS r
    JOIN replay_reset_keys AS k USING (cluster, log_partition, group_id, topic, partition)
),
unknown_keys AS (
    SELECT k.key FROM replay_keys AS k LEFT JOIN replay_partitions AS p USING (cluster, log_partition)
    WHERE p.is_continued IS NOT TRUE
    UNION
    SELECT key FROM other_ends ANTI JOIN anchors USING (key)
    UNION
    SELECT key FROM replay_reset_keys ANTI JOIN runs USING (key)
    UNION
    SELECT r.key
    FROM runs AS r ASOF LEFT JOIN replay_group_states AS g ON g.grp = r.grp AND g.log_offset < r.last_position
    WHERE
        (g.log_offset IS DISTINCT FROM r.state_log_offset)
        OR (coalesce(g.is_read_in, FALSE) IS DISTINCT FROM r.is_read_in)
)
SELECT
    k.key, k.cluster, k.log_partition, k.group_id, k.topic, k.partition, u.key IS NOT NULL AS is_whole,
    if(u.key IS NULL, a.from_position, -9223372036854775808) AS from_position,
    if(u.key IS NULL, a.anchor_place, -9223372036854775808) AS anchor_place,
    if(u.key IS NULL, a.changed_from, -9223372036854775808) AS changed_from
FROM replay_keys AS k
LEFT JOIN unknown_keys AS u USING (key)
LEFT JOIN anchors AS a USING (key)
WHERE u.key IS NOT NULL OR a.key IS NOT NULL
