-- The partition of the offsets topic that a group with this java_hash belongs in, of so many: the absolute value of the
-- hash, but 0 for the one number that has none, modulo how many there are.
SELECT if(hashed = 2147483648, 0, least(hashed, 4294967296 - hashed)) % partitions
