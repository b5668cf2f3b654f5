"""The warehouse over time: merging small files, retiring old rows, finding and mending damage.

How a table is read and written belongs in `assets.storage`.
"""
