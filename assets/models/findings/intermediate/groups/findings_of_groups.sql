-- Findings about how groups run.
FROM storm_findings
UNION ALL BY NAME
FROM silence_findings
UNION ALL BY NAME
FROM standstill_findings
UNION ALL BY NAME
FROM share_findings
