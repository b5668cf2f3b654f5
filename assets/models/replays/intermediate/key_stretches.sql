-- The stretches of these keys between commits that set an offset: how far each went.
SELECT
    key, stretch, max(read_to) AS read_to, max(stretch_from) AS stretch_from, max(highest_offset) AS highest_offset,
    min(begun_to) AS begun_to
FROM replay_reset_runs GROUP BY ALL
