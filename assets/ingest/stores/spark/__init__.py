"""Checkpoints of Spark Structured Streaming as a store of committed offsets.

Put here which batches are new and what their commits are. The files are read by `parsers.spark_checkpoints`.
"""
