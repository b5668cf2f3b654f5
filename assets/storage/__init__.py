"""The warehouse: which Parquet files make up each table, and how they are written, merged and retired.

What a table means belongs in `assets.catalog`.
"""
