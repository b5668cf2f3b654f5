-- The folder of the DuckDB file that is in use.
SELECT (
    SELECT coalesce(nullif(regexp_extract(path, '^(.*)[/\\]', 1), ''), '.')
    FROM duckdb_databases()
    WHERE database_name = current_database()
)
