"""Checkpoints of Spark Structured Streaming: the offsets of Kafka topics that a query recorded for itself.

Put here how a checkpoint's files are found and read. What group its rows belong to is decided in `assets.ingest`.
"""
