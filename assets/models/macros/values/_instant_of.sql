-- The instant that milliseconds since 1970 stand for; NULL for -1, and for what no calendar holds.
SELECT if(ms BETWEEN 0 AND 253402300799999, make_timestamptz(ms * 1000), NULL)
