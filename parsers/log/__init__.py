"""A segment and its indexes as columns: batches, records, and what could not be read.

What the key and the value of a record say belongs in `parsers.messages`.
"""
