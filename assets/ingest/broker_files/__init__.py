"""What brokers write beside records: text logs, configurations, ZooKeeper's data.

The formats belong in `parsers`, records of topics in `assets.ingest`.
"""
