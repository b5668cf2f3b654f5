"""Offsets that consumers keep outside Kafka: a module for each kind of store, and the archive of their commits.

The formats belong in `parsers`. What a commit means for a group belongs in `assets.transforms.commits.store_commits`.
"""
