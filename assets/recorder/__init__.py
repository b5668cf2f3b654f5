"""The recorder: a long-running process that keeps logs of a running cluster as segment files, like one more replica.

It needs neither Spark nor Java, Dagster or DuckDB. What `lagbook run` makes of its files belongs in `assets.ingest`.
"""
