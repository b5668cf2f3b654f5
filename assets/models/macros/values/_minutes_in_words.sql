-- A number of minutes in the largest unit of which it has two.
SELECT CASE
    WHEN minutes < 120 THEN format('{:,} minutes', minutes) WHEN minutes < 2880 THEN format('{:,} hours', minutes // 60)
    ELSE format('{:,} days', minutes // 1440)
END
