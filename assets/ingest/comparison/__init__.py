"""What was read beside what is archived: copies of a log side by side, and which of their rows are new.

Put here comparisons. Reading is in `assets.ingest.worker`, writing in `assets.ingest.slice_writer`.
"""
