-- Who stood behind each commit and removal of a group (NULL: of all groups).
WITH asked AS (FROM core.commits WHERE grp IS NULL OR group_id = grp)
FROM committers_of('asked')
