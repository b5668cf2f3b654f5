-- How far one number of 64 bits lies above another, as far as 64 bits say so; NULL where either is not known.
SELECT coalesce(TRY(high - low), if(high > low, 9223372036854775807, if(high < low, -9223372036854775808, NULL)))
