"""Groups, members, generations and owners as rows, from the coordinator's records.

Commits belong in `assets.transforms.commits`.
"""
