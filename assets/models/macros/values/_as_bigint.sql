-- A whole number as one of 64 bits: what is beyond them becomes the greatest, or the least, that there is. For sums,
-- and for what is reckoned from numbers of strangers: these alone come near.
SELECT CASE
    WHEN number >= 9223372036854775807 THEN 9223372036854775807 WHEN
        number < -9223372036854775808
        THEN -9223372036854775808
    ELSE try_cast(number AS BIGINT)
END
