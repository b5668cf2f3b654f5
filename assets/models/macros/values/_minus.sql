-- How far one number of 64 bits lies above another, as far as 64 bits say so; NULL where either is not known.
SELECT CASE
    WHEN (high < 0) = (low < 0) THEN high - low
    WHEN low < 0 THEN if(high > 9223372036854775807 + low, 9223372036854775807, high - low)
    ELSE if(high < low - 9223372036854775807, -9223372036854775807 - 1, high - low)
END
