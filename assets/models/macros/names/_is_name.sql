-- Whether `_names_of` has a name; NULL stands for all of them.
SELECT wanted IS NULL OR EXISTS (SELECT 1 FROM _names_of(kind_of, grp) WHERE name = wanted)
