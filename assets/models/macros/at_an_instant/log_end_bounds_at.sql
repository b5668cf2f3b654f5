-- Between which offsets each data log ended whose end at an instant is not known exactly. At 'infinity' a log that no
-- commit tells of since its last sample ends where that said.
SELECT cluster, topic, partition, log_end_lower, log_end_upper
FROM core.log_end_bounds
WHERE from_at <= ts AND (to_at > ts OR to_at IS NULL) AND (has_commits OR ts < 'infinity'::TIMESTAMPTZ)
