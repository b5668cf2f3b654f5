"""Columns as NumPy arrays: keys, neighbours, windows and places by bisection, which several transforms share.

What the columns mean belongs in `assets.transforms`.
"""
