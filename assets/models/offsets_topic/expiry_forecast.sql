-- The forecast by what the brokers' configuration says, else by Kafka's default retention since 2.0: a week.
SELECT * FROM expiry_forecast(NULL) ORDER BY cluster, group_id, topic, partition
