"""The graph: one short function per table, grouped by layer, and the columns of every table in `assets.catalog`.

How a table is computed belongs in `assets.transforms` or `assets.models`, what must hold in it in `expectations`.
"""
