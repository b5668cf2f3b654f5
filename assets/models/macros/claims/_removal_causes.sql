-- All removals of offsets, each with its cause.
WITH all_removals AS (FROM core.commits WHERE kind = 'removed')
FROM _removal_causes_of('all_removals')
