"""From raw records to core tables: the partitions with new records, each replayed from its checkpoint.

Put here how a replay is planned, run and stored. What a record means belongs in the subjects of `assets.transforms`.
"""
