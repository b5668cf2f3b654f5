"""What a table means, as functions from Spark DataFrame to DataFrame, one module per subject.

Dagster, files and paths don't belong here; a question that one SELECT answers belongs in `assets.models`.
"""
