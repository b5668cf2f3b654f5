"""Offsets of the offsets topic that were quarantined as unreadable: a gap there is not the log cleaner's.

Put here the offsets alone. `assets.transforms.log_gaps` derives what is unknown in such a gap.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from assets.duckdb.database import in_memory
from assets.ingest.slice_writer import MISPLACED
from assets.reconstruct.file_names import Place
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from assets.transforms.log_chunks import Spans

SOURCES: Final = ("raw.quarantine", "raw.segments")

# A batch with an unreadable header or an impossible offset may be anywhere in the range of its read; an unreadable file
# has no known range. A later sound read of the same file ends the damage.
DAMAGED: Final = """
WITH troubles AS (
    SELECT cluster, partition, path, read_at, if(reason = $misplaced, NULL, log_offset) AS log_offset
    FROM raw.quarantine WHERE topic = $topic
),
reads AS (
    SELECT cluster, path, read_at, from_offset, end_offset, start_position = 0 AND quarantined_count = 0 AS is_sound
    FROM raw.segments WHERE topic = $topic
),
spans AS (
    SELECT t.cluster, t.partition, coalesce(t.log_offset, min(r.from_offset), 0) AS from_offset,
           coalesce(t.log_offset + 1, max(r.end_offset), 9223372036854775807) AS to_offset
    FROM troubles AS t
    LEFT JOIN reads AS r ON r.cluster = t.cluster AND r.path = t.path AND r.read_at = t.read_at
    WHERE NOT EXISTS (
        FROM reads AS s WHERE s.cluster = t.cluster AND s.path = t.path AND s.read_at > t.read_at AND s.is_sound
    )
    GROUP BY t.cluster, t.partition, t.path, t.read_at, t.log_offset
),
numbered AS (
    SELECT *, count_if(is_apart) OVER (PARTITION BY cluster, partition ORDER BY from_offset, to_offset) AS island
    FROM (
        SELECT *, coalesce(from_offset > max(to_offset) OVER earlier, TRUE) AS is_apart
        FROM spans
        WINDOW earlier AS (
            PARTITION BY cluster, partition ORDER BY from_offset, to_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    )
)
SELECT cluster, partition, min(from_offset), max(to_offset)
FROM numbered
GROUP BY cluster, partition, island
ORDER BY ALL
"""


def damaged_offsets(warehouse: Warehouse) -> dict[Place, Spans]:
    """The stretches of each partition's log in which something was set aside and not read since."""
    by_partition: dict[Place, list[tuple[int, int]]] = defaultdict(list)
    parameters = {"topic": OFFSETS_TOPIC, "misplaced": MISPLACED[0]}
    with in_memory(warehouse, SOURCES) as connection:
        for cluster, partition, *span in connection.execute(DAMAGED, parameters).fetchall():
            by_partition[Place(cluster, partition)].append((span[0], span[1]))
    return {place: tuple(spans) for place, spans in by_partition.items()}
