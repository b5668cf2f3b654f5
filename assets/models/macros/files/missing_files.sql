-- The files that views read and that are not there, with the folder that they are looked for in.
SELECT v.table_name, v.file, _folder() AS folder
FROM internal.view_files AS v
WHERE v.file NOT IN (SELECT substr(g.file, length(_folder()) + 2) FROM glob(_folder() || '/**/*.parquet') AS g)
ORDER BY ALL
