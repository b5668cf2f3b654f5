"""Members of groups, owners of partitions and states of groups from what ZooKeeper's files tell of nodes and sessions.

Put here what follows from those events. Commits are in `assets.transforms.commits`, since their history is like that of
any store.
"""
