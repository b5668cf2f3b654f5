-- The status that Burrow gives a partition by the rule that decided; NULL when nothing is known.
SELECT CASE rule
    WHEN 'commits stopped' THEN 'STOP'
    WHEN 'set back' THEN 'REWIND'
    WHEN 'no progress' THEN 'STALL'
    WHEN 'lag never less' THEN 'WARN'
    ELSE if(rule IS NULL, NULL, 'OK')
END
