-- The status that Burrow gives a partition by the rule that decided; NULL when nothing is known.
SELECT CASE rule
    WHEN 'commits_stopped' THEN 'STOP'
    WHEN 'set_back' THEN 'REWIND'
    WHEN 'no_progress' THEN 'STALL'
    WHEN 'lag_never_less' THEN 'WARN'
    ELSE if(rule IS NULL, NULL, 'OK')
END
