-- How sure a claim is, by its ranges: proven, likely, or no more than possible.
SELECT
    CASE WHEN certain_to > certain_from THEN 'proven' WHEN estimate_to > estimate_from THEN 'likely' ELSE 'possible' END
