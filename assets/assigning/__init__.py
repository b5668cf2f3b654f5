"""The assignors of Kafka's clients and brokers: which member each would give which partition.

Put rules of assignment here, over plain members and topics. Reading groups out of tables and judging what they did
belongs in `assets.transforms`.
"""
