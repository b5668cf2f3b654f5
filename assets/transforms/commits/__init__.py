"""Commits of offsets as rows, and who made each.

Who owned a partition belongs in `assets.transforms.groups`.
"""
