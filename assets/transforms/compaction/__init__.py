"""What Kafka's log cleaner keeps: its rules, one pass of it, and the fate of every record.

`rules` says which record supersedes which; `cleaner` applies that to one pass with its settings, `record_compaction` to
all that was read.
"""
