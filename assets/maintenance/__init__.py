"""The warehouse over time: small files merged, old rows retired, and damage found, mended or told.

How a table is read and written belongs in `assets.storage`.
"""
