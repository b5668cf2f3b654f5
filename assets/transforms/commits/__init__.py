"""Commits of offsets as rows, and who made each."""
