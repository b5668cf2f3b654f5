"""Which files of a broker count: log directories, partition folders, segments, and what stands beside them.

What stands inside a segment belongs in `parsers.log`.
"""
