-- No row for a name (NULL: for all) that `_names_of` has; for another one an error that names the nearest. They are
-- compared only then, so that a right name costs one look at the names. The error is a condition and a column: whatever
-- is asked of the row, something of it has to be computed.
-- Nor is there one unless it is due: of a mistyped group no topic is refused.
WITH answer AS (SELECT NOT is_due OR _is_name(kind_of, wanted, grp) AS is_there),
nearest_names AS (
    SELECT name, _nearness(name, wanted) AS nearness
    FROM _names_of(kind_of, grp)
    WHERE NOT (SELECT is_there FROM answer)
    ORDER BY nearness DESC, name
    LIMIT 3
),
refusals AS (
    SELECT
        concat(
            kind_of, ' ', _sql_text(wanted),
            if(grp IS NULL, ' is not in this warehouse', concat(' is not among those of group ', _sql_text(grp))),
            coalesce('; the nearest: ' || string_agg(_sql_text(name), ', ' ORDER BY nearness DESC, name), '')
        ) AS sentence
    FROM nearest_names
    HAVING NOT (SELECT is_there FROM answer)
)
SELECT error(sentence)::VARCHAR AS nothing FROM refusals WHERE error(sentence)::BOOLEAN
