"""The files of stores outside Kafka that a claim cites: a module for each kind of store, and what packs have of them.

Put here how a commit is found in a store's bytes and read out of them again. How a run reads stores belongs in
`assets.ingest.stores`.
"""
