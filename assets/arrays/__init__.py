"""Columns as NumPy arrays: keys, neighbours, windows and places by bisection, which several transforms share."""
