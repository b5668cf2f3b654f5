"""The archive's record of the files that it read, and the check that a file, at any path, is one of them.

Put here how far a file was read. `assets.ingest.split_ranges` and `assets.ingest.ingest` read the rest.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from assets.duckdb.database import in_memory
from assets.ingest.digesting_source import digest
from parsers.log.batches import HEADER_BYTES, batch_bytes
from parsers.log.headers import read_headers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import SegmentFile
    from parsers.sources import ByteSource

INSIDE: Final = "!/"
"""Between the path of an archive and the path of a file in it."""
FIRST: Final = np.zeros(1, np.int64)
"""The position of the header in a buffer of one header."""

# The latest read of each path, as far as its ranges are contiguous from the start of the file or a continued read.
REMEMBERED: Final = """
WITH reads AS (
    SELECT *, start_position = 0 OR is_continued AS is_head FROM raw.segments WHERE source = 'file'
),
latest AS (SELECT cluster, path, max(read_at) AS read_at FROM reads WHERE is_head GROUP BY ALL),
linked AS (
    SELECT reads.*, coalesce(lag(end_position) OVER stretches = start_position, is_head) AS follows
    FROM reads JOIN latest USING (cluster, path, read_at)
    WINDOW stretches AS (PARTITION BY cluster, path ORDER BY start_position, end_position)
),
chained AS (
    SELECT *, bool_and(follows) OVER (
        PARTITION BY cluster, path ORDER BY start_position, end_position ROWS UNBOUNDED PRECEDING
    ) AS is_reached
    FROM linked
)
SELECT
    cluster, broker_id, topic, partition, base_offset, path,
    max(size_bytes) AS size_bytes,
    max(modified_ms) AS modified_ms,
    max(end_position) AS end_position,
    arg_max(torn_bytes, end_position) AS torn_bytes,
    min(first_batch_crc) AS first_batch_crc,
    max(last_batch_position) AS last_batch_position,
    arg_max(last_batch_crc, last_batch_position) AS last_batch_crc,
    max(end_offset) AS end_offset,
    bool_and(blake3 IS NOT NULL) AS has_records
FROM chained WHERE is_reached GROUP BY ALL
"""

# The ranges with quarantined parts, since a path was last read from its beginning. A path that never was is known by
# another copy of the segment, so the troubles of that copy count for it.
DAMAGED: Final = """
WITH reads AS (FROM raw.segments WHERE source = 'file'),
paths AS (
    SELECT
        cluster, broker_id, topic, partition, base_offset, path,
        max(read_at) FILTER (start_position = 0 AND NOT is_continued) AS whole_at
    FROM reads GROUP BY ALL
)
SELECT DISTINCT paths.cluster, paths.path, start_position, end_position, blake3
FROM paths JOIN reads ON
    reads.cluster = paths.cluster AND reads.topic = paths.topic AND reads.partition = paths.partition
    AND reads.base_offset = paths.base_offset AND reads.broker_id IS NOT DISTINCT FROM paths.broker_id
    AND (whole_at IS NULL OR (reads.path = paths.path AND reads.read_at >= whole_at))
WHERE quarantined_count > 0
"""


@dataclass(frozen=True, slots=True)
class DamagedBytes:
    """A byte range of a file with a quarantined part, and its digest if it was read."""

    start_position: int
    end_position: int
    blake3: str | None

    def stands_in(self, source: ByteSource) -> bool:
        """Whether a file has the same bytes there: reading them again would give nothing new."""
        return self.blake3 is not None and digest(source, self.start_position, self.end_position) == self.blake3


@dataclass(frozen=True, slots=True)
class KnownRead:
    """How far a file was read, and what identifies it: two batches, and its damaged byte ranges."""

    size_bytes: int
    modified_ms: int | None
    end_position: int
    torn_bytes: int
    first_batch_crc: int | None
    last_batch_position: int | None
    last_batch_crc: int | None
    end_offset: int | None
    has_records: bool = False
    """Whether records were read, or headers alone."""
    damaged: tuple[DamagedBytes, ...] = ()

    def is_unchanged(self, segment: SegmentFile) -> bool:
        """Whether the file was read whole and is unchanged, by its size and time alone."""
        is_gap_free = self.end_position + self.torn_bytes >= self.size_bytes
        return is_gap_free and (self.size_bytes, self.modified_ms) == (segment.size_bytes, segment.modified_ms)

    def begins(self, source: ByteSource) -> bool:
        """Whether a file begins with the bytes that were read: its first batch and the last known one are still there.

        A sound copy of a damaged file differs between them, so the damaged bytes are compared, too.
        """
        is_recognisable = self.last_batch_position is not None or bool(self.damaged)
        if not is_recognisable or source.size_bytes < self.end_position:
            return False
        return self._has_ends(source) and all(stretch.stands_in(source) for stretch in self.damaged)

    def _has_ends(self, source: ByteSource) -> bool:
        """Whether both batches are there; a batch that was unreadable is among the damaged bytes instead.

        No checksum covers a batch's offset and size, so those of the last batch are compared as well.
        """
        if self.first_batch_crc is not None and batch_crc(source, 0) != self.first_batch_crc:
            return False
        if self.last_batch_position is None:
            return True
        last = batch_at(source, self.last_batch_position)
        if last is None or (last.crc, last.end_offset) != (self.last_batch_crc, self.end_offset):
            return False
        return last.end_position == self.end_position or bool(self.damaged)


class KnownFiles:
    """All files that were read, by path and by segment."""

    def __init__(self, reads: Iterable[tuple[SegmentName, str, KnownRead]]) -> None:
        """Take the latest read of each path."""
        self._by_path: dict[tuple[str, str], KnownRead] = {}
        self._by_name: dict[SegmentName, list[KnownRead]] = defaultdict(list)
        self._archives: set[tuple[str, int | None]] = set()
        for name, path, read in reads:
            self._by_path[name.cluster, path] = read
            self._by_name[name].append(read)
            if INSIDE in path:
                self._archives.add((path.partition(INSIDE)[0], read.modified_ms))

    def has_archive(self, path: str, modified_ms: int | None) -> bool:
        """Whether files of this archive were read, with its time as theirs."""
        return (path, modified_ms) in self._archives

    def has(self, segment: SegmentFile, *, with_records: bool) -> bool:
        """Whether this very file was read whole, with its records if asked for, and is unchanged."""
        known = self._by_path.get((segment.cluster, segment.path))
        return known is not None and known.is_unchanged(segment) and known.has_records >= with_records

    def candidates(self, segment: SegmentFile, *, with_records: bool) -> tuple[KnownRead, ...]:
        """The earlier reads that this file may continue or copy, the longest first."""
        reads = (read for read in self._by_name[SegmentName.of(segment)] if read.has_records >= with_records)
        return tuple(sorted(reads, key=lambda read: -read.end_position))


@dataclass(frozen=True, slots=True)
class SegmentName:
    """The identity of a segment: two files with the same are copies, wherever they lie."""

    cluster: str
    broker_id: int | None
    topic: str
    partition: int
    base_offset: int

    @classmethod
    def of(cls, segment: SegmentFile) -> SegmentName:
        """The name of a file's segment."""
        return cls(segment.cluster, segment.broker_id, segment.topic, segment.partition, segment.base_offset)


def known_files(warehouse: Warehouse) -> KnownFiles:
    """All reads of files, from raw.segments."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        rows = connection.sql(REMEMBERED).fetchall()
        damaged: dict[tuple[str, str], list[DamagedBytes]] = defaultdict(list)
        for cluster, path, *stretch in connection.sql(DAMAGED).fetchall():
            damaged[cluster, path].append(DamagedBytes(*stretch))
    reads = ((SegmentName(*row[:5]), row[5], KnownRead(*row[6:])) for row in rows)
    return KnownFiles(
        (name, path, replace(read, damaged=tuple(damaged[name.cluster, path]))) for name, path, read in reads
    )


class BatchAt(NamedTuple):
    """The fields of a batch's header that identify it, and its end."""

    crc: int
    end_position: int
    end_offset: int


def batch_at(source: ByteSource, position: int) -> BatchAt | None:
    """The header of the batch at a position; None without a whole header."""
    header = source.read(position, HEADER_BYTES)
    size_bytes = batch_bytes(header, 0, HEADER_BYTES) if len(header) == HEADER_BYTES else 0
    if size_bytes <= 0:
        return None
    fields = read_headers(header, FIRST)
    crc, base_offset, delta = (int(fields[name][0]) for name in ("crc", "base_offset", "last_offset_delta"))
    return BatchAt(crc, position + size_bytes, base_offset + delta + 1)


def batch_crc(source: ByteSource, position: int) -> int | None:
    """The checksum in the header of the batch at a position; None without a whole header."""
    batch = batch_at(source, position)
    return None if batch is None else batch.crc


def recognise(source: ByteSource, candidates: Iterable[KnownRead]) -> KnownRead | None:
    """The first of these reads that the file begins with."""
    return next((read for read in candidates if read.begins(source)), None)
