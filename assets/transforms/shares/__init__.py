"""Share groups: the records of __share_group_state applied to the state of share partitions.

Put here what rests on those records. What they are byte for byte is raw.internal_records.
"""
