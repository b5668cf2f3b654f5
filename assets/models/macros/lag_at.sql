-- Lag and owner of every partition that a group had committed or owned at an instant. A commit or a log start beyond
-- the log end that is known proves that the end is not known: lag is NULL then, as it is without any data segment.
SELECT cluster, group_id, topic, partition, s.current_offset, e.log_start_offset, e.log_end_offset,
       CASE WHEN greatest(s.current_offset, e.log_start_offset) <= e.log_end_offset AND s.current_offset >= 0
            THEN e.log_end_offset - greatest(s.current_offset, e.log_start_offset) END AS lag,
       CASE WHEN s.current_offset >= 0 AND e.log_start_offset >= 0
            THEN greatest(e.log_start_offset - s.current_offset, 0) END AS lost,
       o.member_id, o.host, o.client_id
FROM state_at(ts) AS s
FULL JOIN owner_at(ts) AS o USING (cluster, group_id, topic, partition)
LEFT JOIN log_ends_at(ts) AS e USING (cluster, topic, partition)
