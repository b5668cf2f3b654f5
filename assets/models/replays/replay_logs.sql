-- The data logs that replays may be of, by numbers: these are joined and sorted in less time than names.
SELECT *, row_number() OVER () AS log
FROM (
    SELECT cluster, topic, partition FROM replay_owner_ends
    UNION
    SELECT cluster, topic, partition FROM replay_reset_causes
)
