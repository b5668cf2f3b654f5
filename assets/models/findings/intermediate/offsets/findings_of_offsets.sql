-- Findings about what groups read, or never read, and about the records of logs.
FROM skip_findings
UNION ALL BY NAME
FROM replay_findings
UNION ALL BY NAME
FROM divergence_findings
UNION ALL BY NAME
FROM producer_findings
UNION ALL BY NAME
FROM failover_findings
