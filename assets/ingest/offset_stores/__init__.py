"""Committed offsets that consumers keep themselves, as rows of raw.external_commits.

Put here which stores are read, and which of their rows are new. Parsing a store's files belongs in `parsers`.
"""
