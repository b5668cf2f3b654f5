"""From raw records to core tables: which partitions have something new, and each replayed from where it stood.

Put here how a replay is planned, run and kept. What a record means belongs in the subjects of `assets.transforms`.
"""
