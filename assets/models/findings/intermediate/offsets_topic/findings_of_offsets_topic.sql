-- Findings about what the offsets topic has of groups, and what becomes of it.
FROM expiry_findings
UNION ALL BY NAME
FROM transaction_findings
UNION ALL BY NAME
FROM cleaner_findings
