"""What can't be read in a log: where the next sound batch begins, and the rows that say what was left out.

Sound batches never come here. They are read by `parsers.log.bodies`.
"""
