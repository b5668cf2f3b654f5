-- How bad an incident is, by its kind and pattern (NULL: any other), by how sure it is (NULL: either), and from how
-- many records (offsets, where records are not known) or seconds of its topic's traffic on; of the rows that fit, the
-- worst counts. To lose records weighs more than to repeat them, and what is proven more than what is likely. What fits
-- no row is low.
FROM (
    VALUES
    ('skip', NULL, 'proven', 100, 10, 'critical'),
    ('skip', NULL, 'proven', 0, 0, 'high'),
    ('skip', NULL, 'likely', 100, 10, 'high'),
    ('skip', NULL, 'likely', 0, 0, 'medium'),
    ('replay', NULL, 'proven', 100, 10, 'high'),
    ('replay', NULL, 'proven', 0, 0, 'medium'),
    ('replay', NULL, 'likely', 100, 10, 'medium'),
    ('replay', NULL, 'likely', 0, 0, 'low'),
    ('diverged', 'truncated', 'proven', 0, 0, 'critical'),
    ('diverged', 'truncated', 'likely', 0, 0, 'high'),
    ('diverged', 'copies_differ', NULL, 0, 0, 'high'),
    ('diverged', 'two_installations', NULL, 0, 0, 'high'),
    ('diverged', 'truncated_records', NULL, 0, 0, 'medium'),
    ('diverged', 'misplaced', NULL, 0, 0, 'medium'),
    ('stopped', 'stopped', NULL, 0, 0, 'high'),
    ('stopped', 'commits_paused', NULL, 0, 0, 'medium'),
    ('stopped', 'silent', NULL, 0, 0, 'low'),
    ('stopped', 'closed', NULL, 0, 0, 'low'),
    ('stopped', 'stale_offsets', NULL, 0, 0, 'low'),
    ('behind', NULL, NULL, 0, 0, 'low'),
    ('expiring', NULL, NULL, 0, 0, 'low'),
    ('storm', NULL, NULL, 0, 0, 'medium'),
    ('restarts', NULL, NULL, 0, 0, 'low'),
    ('transaction', NULL, 'proven', 0, 0, 'high'),
    ('transaction', NULL, 'likely', 0, 0, 'medium'),
    ('cleaner', NULL, NULL, 0, 0, 'medium'),
    ('archived', 'out_of_attempts', NULL, 0, 0, 'high'),
    ('archived', NULL, NULL, 0, 0, 'medium'),
    ('stuck', NULL, NULL, 0, 0, 'high'),
    ('failover', NULL, NULL, 100, 10, 'high'),
    ('failover', NULL, NULL, 0, 0, 'medium'),
    ('produced', NULL, 'proven', 0, 0, 'medium'),
    ('produced', NULL, 'likely', 0, 0, 'low')
) AS s (kind, pattern, certainty, least_records, least_seconds, severity)
