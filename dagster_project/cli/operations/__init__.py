"""Commands that read logs into a warehouse, record a cluster, and look after both.

Put here one module for each. Answers belong in `dagster_project.cli.questions`.
"""
