-- The status that Burrow gives a group whose worst partition is so bad; NULL where a partition may be worse.
SELECT CASE WHEN badness > 1 THEN 'ERR' WHEN badness = 1 THEN 'WARN' WHEN is_known THEN 'OK' END
