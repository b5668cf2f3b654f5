-- Findings about how groups run, and about their records in the offsets topic.
FROM storm_findings
UNION ALL BY NAME
FROM silence_findings
UNION ALL BY NAME
FROM standstill_findings
UNION ALL BY NAME
FROM expiry_findings
UNION ALL BY NAME
FROM transaction_findings
UNION ALL BY NAME
FROM cleaner_findings
UNION ALL BY NAME
FROM share_findings
