"""Bytes to columns: how Kafka's files are walked, verified and decoded into Arrow, and the errors they can raise.

What the decoded records mean belongs in `assets`; neither Dagster nor Spark is known here.
"""
