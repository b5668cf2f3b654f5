"""Offset commits as rows, and the actor of each.

The owners of partitions belong in `assets.transforms.groups`.
"""
