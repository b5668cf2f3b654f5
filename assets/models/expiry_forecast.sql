-- The forecast by Kafka's default retention since 2.0: a week.
SELECT * FROM expiry_forecast(10080) ORDER BY cluster, group_id, topic, partition
