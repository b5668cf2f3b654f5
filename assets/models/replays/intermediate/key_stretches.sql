-- The stretches of these keys between commits that set an offset: how far each went.
SELECT
    key, stretch, max(committed_offset) AS read_to,
    max(committed_offset) FILTER (NOT reads_on OR nth = 1) AS stretch_from,
    max(previous_offset) FILTER (NOT reads_on OR nth = 1) AS highest_offset,
    min(committed_offset) FILTER (reads_on) AS begun_to
FROM reset_histories GROUP BY ALL
