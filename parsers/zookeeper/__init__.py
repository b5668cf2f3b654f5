"""What ZooKeeper keeps on disk: snapshots of its nodes, and the log of what changed them.

Put here how those bytes are read. What a node means to Kafka belongs in `parsers.zookeeper.kafka_nodes`.
"""
