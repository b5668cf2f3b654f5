"""The codecs of a batch: what its bytes were packed with, and how they are unpacked within a bound.

Bytes go in and bytes come out. What is in them is read by `parsers.log.records`.
"""
