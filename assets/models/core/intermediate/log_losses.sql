-- When each leader's lost end was still there, and when it was gone: by the signs of leaders.
WITH signs AS (
    SELECT cluster, topic, partition, leader_epoch, reached_ms AS sign_ms
    FROM (
        FROM batch_log_ends
        UNION ALL BY NAME
        FROM lost_log_ends
    )
    SEMI JOIN lost_log_ends USING (cluster, topic, partition)
    UNION ALL
    SELECT cluster, topic, partition, leader_epoch, epoch_ms(sampled_at) FROM raw.log_offset_samples
)
SELECT
    l.cluster, l.topic, l.partition, l.leader_epoch,
    1 + max(s.sign_ms) FILTER (s.leader_epoch = l.leader_epoch) AS held_ms,
    min(s.sign_ms) FILTER (s.leader_epoch >= l.lost_to) AS lost_ms
FROM (SELECT cluster, topic, partition, leader_epoch, min(lost_to) AS lost_to FROM lost_log_ends GROUP BY ALL) AS l
JOIN signs AS s USING (cluster, topic, partition)
GROUP BY ALL
