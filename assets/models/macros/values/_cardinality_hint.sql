-- The same rows, which DuckDB takes for one when it chooses what a join keeps in memory; `rows_of` names a table, or a
-- WITH.
SELECT unnest(found, max_depth := 2) FROM (SELECT list(f) AS found FROM query_table(rows_of) AS f)
