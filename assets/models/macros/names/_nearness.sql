-- How like a name is to the wanted one, up to 2: the name itself comes before one in another case. Of each as many
-- characters count as a topic may have, so that a hundred thousand are compared at once.
SELECT
    (name = wanted)::INTEGER + jaro_winkler_similarity(left(lower(name), 249), left(lower(wanted), 249))
