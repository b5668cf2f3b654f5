"""What is taken out for others: the records that a claim is about, and packs of evidence that need no warehouse.

Put here commands that write such files. What is asked of a warehouse belongs in `questions`.
"""
