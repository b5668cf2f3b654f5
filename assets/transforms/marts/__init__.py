"""Marts that one SELECT can't make: models read their inputs, compiled loops walk them.

What one SELECT says belongs in `assets.models`.
"""
