-- What became of each partition in a rebalance: who owned it before and who after it, leaving out who did in between.
WITH names AS (
    SELECT cluster, topic_id, arg_max(topic, coalesce(last_seen_at, '-infinity'::TIMESTAMPTZ)) AS topic
    FROM core.topics GROUP BY ALL
),
owners AS MATERIALIZED (
    SELECT row_number() OVER () AS owner, cluster, group_id, log_partition, coalesce(o.topic, n.topic, topic_id) AS called, topic_id,
           partition, member_id, group_instance_id, client_id, client_host, log_offset, from_log_offset, from_at, until_log_offset,
           until_at, revoking_at, end_reason
    FROM core.ownership AS o LEFT JOIN names AS n USING (cluster, topic_id)
),
-- Groups and their partitions go by numbers, which are joined and gathered in a fraction of the time.
groups AS MATERIALIZED (
    SELECT *, row_number() OVER () AS grp FROM (SELECT DISTINCT cluster, log_partition, group_id FROM owners)
),
parts AS (
    SELECT *, row_number() OVER () AS part
    FROM (SELECT DISTINCT cluster, log_partition, group_id, called, partition FROM owners) JOIN groups USING (cluster, log_partition, group_id)
),
owned AS MATERIALIZED (
    SELECT grp, part, owner, log_offset, from_log_offset, until_log_offset
    FROM owners JOIN parts USING (cluster, log_partition, group_id, called, partition)
),
spans AS (
    SELECT grp, s.log_offset AS rebalance_log_offset, before_log_offset, coalesce(to_log_offset, 9223372036854775807) AS up_to
    FROM internal.rebalance_spans AS s JOIN groups USING (cluster, log_partition, group_id)
),
-- A rebalance moves many partitions at one place in the log, which is looked up once.
placed AS MATERIALIZED (
    SELECT p.grp, p.place, s.* EXCLUDE (grp)
    FROM (
        SELECT grp, log_offset AS place FROM owned WHERE from_log_offset IS NOT NULL
        UNION
        SELECT grp, until_log_offset FROM owned WHERE until_log_offset IS NOT NULL
    ) AS p
    ASOF JOIN spans AS s ON s.grp = p.grp AND p.place <= s.up_to
    WHERE p.place > coalesce(s.before_log_offset, -1)
),
-- Of all who gave it up in the rebalance the first owned it before, of all who came to own it the last does after.
lost AS (
    SELECT part, rebalance_log_offset, any_value(before_log_offset) AS before_log_offset,
           arg_min(owner, until_log_offset::HUGEINT * 9223372036854775808 + log_offset) AS owner
    FROM owned AS o JOIN placed AS p ON p.grp = o.grp AND p.place = o.until_log_offset
    GROUP BY ALL
),
gained AS (
    SELECT part, rebalance_log_offset, any_value(up_to) AS up_to, arg_max(owner, log_offset) AS owner
    FROM owned AS o JOIN placed AS p ON p.grp = o.grp AND p.place = o.log_offset
    WHERE o.from_log_offset IS NOT NULL
    GROUP BY ALL
),
-- Who owned it first in the rebalance may have come to own it in it, and who did last may have lost it again.
moves AS (
    SELECT coalesce(l.cluster, g.cluster) AS cluster, coalesce(l.group_id, g.group_id) AS group_id,
           coalesce(l.log_partition, g.log_partition) AS log_partition, rebalance_log_offset,
           coalesce(l.called, g.called) AS topic, coalesce(l.topic_id, g.topic_id) AS topic_id,
           coalesce(l.partition, g.partition) AS partition,
           if(coalesce(l.log_offset > before_log_offset, TRUE), NULL, l) AS old,
           if(coalesce(g.until_log_offset <= up_to, FALSE), NULL, g) AS new
    FROM (
        SELECT rebalance_log_offset, before_log_offset, up_to, l.owner AS lost_by, g.owner AS gained_by
        FROM lost AS l FULL JOIN gained AS g USING (part, rebalance_log_offset)
    )
    LEFT JOIN owners AS l ON l.owner = lost_by
    LEFT JOIN owners AS g ON g.owner = gained_by
),
begins AS (
    SELECT cluster, group_id, to_log_offset AS log_offset, min(from_at) AS begun_at
    FROM core.group_states
    WHERE source = 'server.log' AND state = 'PreparingRebalance' AND to_log_offset IS NOT NULL
    GROUP BY ALL
),
expired AS (
    SELECT cluster, log_partition, group_id, rebalance_log_offset, member_id, change, session_timeout_ms, logged_at
    FROM mart.member_changes WHERE change IN ('expired', 'left', 'left_or_expired')
),
told AS (
    SELECT m.*, s.group_type, s.protocol, s.state_after, b.begun_at, e.change, e.session_timeout_ms, e.logged_at,
           -- When it had surely stopped: once all have rejoined; for the other kinds once it said so itself. Who expired may
           -- read on without knowing, and so may who belongs to a group of another kind now.
           CASE
               WHEN old.end_reason = 'converted' OR coalesce(e.change IN ('expired', 'left_or_expired'), FALSE) THEN NULL
               WHEN s.group_type <> 'classic' THEN old.until_at
               WHEN old.until_log_offset < new.log_offset THEN coalesce(g.state_at, new.from_at)
               ELSE s.joined_at
           END AS stopped_by,
           -- When it was told to stop, or was not heard of any more.
           CASE
               WHEN s.group_type <> 'classic' THEN coalesce(old.revoking_at, old.until_at)
               WHEN old.end_reason = 'revoked' AND old.until_log_offset < new.log_offset THEN old.until_at
               WHEN old.until_log_offset = s.log_offset THEN coalesce(e.logged_at, b.begun_at)
           END AS stopped_from
    FROM moves AS m
    JOIN internal.rebalance_spans AS s
        ON s.cluster = m.cluster AND s.log_partition = m.log_partition AND s.group_id = m.group_id
            AND s.log_offset = m.rebalance_log_offset
    LEFT JOIN begins AS b ON b.cluster = s.cluster AND b.group_id = s.group_id AND b.log_offset = s.log_offset
    LEFT JOIN core.generations AS g
        ON g.cluster = m.cluster AND g.log_partition = m.log_partition AND g.log_offset = new.log_offset
    LEFT JOIN expired AS e
        ON e.cluster = m.cluster AND e.log_partition = m.log_partition AND e.group_id = m.group_id
            AND e.rebalance_log_offset = m.rebalance_log_offset AND e.member_id = old.member_id
)
SELECT cluster, group_id, group_type, log_partition, rebalance_log_offset, topic, topic_id, partition,
       CASE
           WHEN old.log_offset IS NULL THEN 'gained'
           WHEN new.log_offset IS NULL THEN 'lost'
           WHEN old.member_id = new.member_id OR old.group_instance_id = new.group_instance_id THEN 'kept'
           ELSE 'moved'
       END AS kind,
       old.member_id AS from_member_id, old.group_instance_id AS from_group_instance_id, old.client_id AS from_client_id,
       old.client_host AS from_client_host, old.until_at AS from_until_at, old.end_reason AS from_end_reason,
       new.member_id AS to_member_id, new.group_instance_id AS to_group_instance_id, new.client_id AS to_client_id,
       new.client_host AS to_client_host, new.from_at AS to_from_at,
       CASE WHEN old.log_offset IS NOT NULL AND new.from_at >= stopped_by THEN epoch_ms(new.from_at) - epoch_ms(stopped_by) END
           AS pause_lower_ms,
       CASE WHEN epoch_ms(new.from_at) >= epoch_ms(stopped_from) THEN epoch_ms(new.from_at) - epoch_ms(stopped_from) END AS pause_ms,
       if(change = 'expired' OR change = 'left_or_expired', session_timeout_ms, NULL) AS silence_upper_ms,
       old.log_offset AS from_log_offset, new.log_offset AS to_log_offset
FROM told
WHERE old.log_offset IS NOT NULL OR new.log_offset IS NOT NULL
ORDER BY ALL
