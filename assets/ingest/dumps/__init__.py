"""Files in which other tools wrote what a log held: read as runs of records, and superseded once the log is read.

The formats of these files belong in `parsers.text` and `parsers.exports`.
"""
