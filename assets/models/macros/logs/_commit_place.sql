-- The place of a commit among all commits of its key, by the log's order: those in the offsets topic come after those
-- that a store outside Kafka has of a group of the same name, for groups moved from ZooKeeper to Kafka.
SELECT
    if(log_partition >= 0, 85070591730234615865843651857942052864, 0)::HUGEINT
    + effective_log_offset::HUGEINT * 9223372036854775808 + log_offset
