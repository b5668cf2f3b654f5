"""The `lagbook` command: one module per thing it can be asked to do.

Put here what a person types and reads. What is computed belongs in `assets`; how a run is put together belongs in the
other modules of `dagster_project`.
"""
