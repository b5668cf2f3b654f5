"""The batches of Kafka's logs that a claim cites: found in segment files, and decoded again as their topics need it.

Put here what a pack has of logs. What it has of stores outside Kafka belongs in `assets.evidence.stores`.
"""
