"""DuckDB over the warehouse: its connections, and the file with every table and macro."""
