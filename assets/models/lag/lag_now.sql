-- Lag and owner of every committed or owned partition at the end of what was read.
SELECT * FROM lag_at('infinity'::TIMESTAMPTZ) ORDER BY ALL
