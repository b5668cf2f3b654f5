"""A running cluster as a source: its brokers' answers, read in addition to files.

Put here what talks to brokers and what a run wants of them. What the fetched bytes say is read by `parsers`, like the
bytes of a file; what becomes of the rows is in `assets.ingest.slice_writer`.
"""
