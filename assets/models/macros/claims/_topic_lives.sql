-- When the latest life of each topic began, or was first seen: of topics with several ids, and of those that ZooKeeper
-- names.
SELECT cluster, topic, max(latest_at) AS latest_at
FROM (
    SELECT cluster, topic, max(first_seen_at) AS latest_at FROM core.topics GROUP BY ALL HAVING count(*) > 1
    UNION ALL
    FROM _topic_creations()
)
GROUP BY ALL
