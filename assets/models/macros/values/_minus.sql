-- How far one number of 64 bits lies above another, as far as 64 bits say so; NULL where either is not known.
SELECT coalesce(
    try_cast(high::HUGEINT - low::HUGEINT AS BIGINT),
    CASE WHEN high > low THEN 9223372036854775807 WHEN high < low THEN -9223372036854775807 - 1 END
)
