"""Spark as the tasks of a run use it: a session that starts when it is needed, and why a task failed."""
