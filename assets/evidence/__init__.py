"""Evidence that others can verify: the rows and bytes that a claim rests on, and the claim made of them again.

Put here what is in a pack and how it is verified. What the commands print belongs in `dagster_project.cli.extracts`.
"""
