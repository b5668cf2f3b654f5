-- A name as SQL takes it back, in quotes: cut where no topic could be that long, and without characters that a terminal
-- could act on.
SELECT
    concat('''', replace(regexp_replace(left(name, 249), '[^\pL\pM\pN\pP\pS ]', '?', 'g'), '''', ''''''), '''')
