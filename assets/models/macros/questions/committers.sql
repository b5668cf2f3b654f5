-- Who stood behind each commit and removal of a group (NULL: of all groups).
WITH group_commits AS (
    FROM core.commits WHERE log_partition IN (FROM _partitions_of(grp)) AND (grp IS NULL OR group_id = grp)
)
FROM _committers_of('group_commits')
