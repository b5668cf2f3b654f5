"""DuckDB over the warehouse: its connections, and the file with every table and macro.

What a macro answers belongs in `assets.models`.
"""
