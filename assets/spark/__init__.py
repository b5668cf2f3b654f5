"""Spark as the tasks of a run use it: a session that starts when it is needed, and why a task failed.

What a task computes belongs in `assets.ingest` and `assets.reconstruct`.
"""
