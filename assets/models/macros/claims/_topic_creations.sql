-- When each topic was created last, as ZooKeeper says: what was committed before is of another log of the same name.
SELECT cluster, topic, max(_instant_of(timestamp_ms)) AS latest_at
FROM raw.zookeeper_events WHERE event IN ('topic_created', 'topic_present') GROUP BY ALL
