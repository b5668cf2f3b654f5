"""What brokers write beside records: text logs, configurations, ZooKeeper's data."""
