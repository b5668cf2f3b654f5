"""What a task is told to read: ranges of logs, in files and from a running cluster, and where the rows go.

Put here the description of work. What is to be read is decided in `assets.ingest.plan` and cut in
`assets.ingest.split_ranges`, how it is read in `assets.ingest.worker` and `assets.ingest.live.reading`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from assets.ingest.live.access import Access
    from assets.ingest.read_history import KnownRead
    from parsers.files.discovery import SegmentFile

NO_END: Final = (1 << 63) - 1
RECORD_BYTES: Final = 150
"""About what a record of the offsets topic takes: enough to deal out stretches of a log whose size nobody says."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file to read, and what the archive has of it from before: it is read from where that ends."""

    segment: SegmentFile
    known: KnownRead | None

    @property
    def start_position(self) -> int:
        """Where the unread part begins."""
        return 0 if self.known is None else self.known.end_position

    @property
    def size_bytes(self) -> int:
        """Bytes of the unread part."""
        return max(self.segment.size_bytes - self.start_position, 0)


@dataclass(frozen=True, slots=True)
class FileRange:
    """A part of a file: from a batch that has this checksum, to a batch boundary or (None) the end of the file."""

    file: Unread
    start_position: int
    start_crc: int | None
    stop_position: int | None

    @property
    def segment(self) -> SegmentFile:
        """The file."""
        return self.file.segment

    @property
    def is_continued(self) -> bool:
        """Whether it goes on where the archive stopped."""
        return self.file.known is not None and self.start_position == self.file.start_position

    @property
    def size_bytes(self) -> int:
        """Bytes of the stretch, as far as the file was known to reach."""
        stop = self.segment.size_bytes if self.stop_position is None else self.stop_position
        return max(stop - self.start_position, 0)


@dataclass(frozen=True, slots=True)
class LiveRead:
    """One stretch of a log to fetch from a running cluster, described like a segment that begins where it does."""

    segment: SegmentFile
    end_offset: int
    access: Access

    @property
    def size_bytes(self) -> int:
        """About how many bytes it has."""
        return (self.end_offset - self.segment.base_offset) * RECORD_BYTES

    def within(self, first_offset: int, end_offset: int) -> LiveRead | None:
        """The part of it between two offsets."""
        begin, end = max(self.segment.base_offset, first_offset), min(self.end_offset, end_offset)
        return replace(self, segment=replace(self.segment, base_offset=begin), end_offset=end) if begin < end else None


@dataclass(frozen=True, slots=True)
class DumpRun:
    """The records that dumps tell of one partition, in the order of their offsets, in a file of this run's own."""

    segment: SegmentFile
    """The dump, described like a segment that begins with the first of them."""
    end_offset: int
    rows: int
    file: str
    source: str

    @property
    def size_bytes(self) -> int:
        """About how many bytes it has."""
        return self.rows * RECORD_BYTES

    def within(self, first_offset: int, end_offset: int) -> DumpRun | None:
        """The part of it between two offsets."""
        begin, end = max(self.segment.base_offset, first_offset), min(self.end_offset, end_offset)
        return replace(self, segment=replace(self.segment, base_offset=begin), end_offset=end) if begin < end else None


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """The records of a partition in [first_offset, end_offset), in every copy of its log that is to be read."""

    cluster: str
    topic: str
    partition: int
    first_offset: int
    end_offset: int
    copies: tuple[tuple[FileRange | LiveRead | DumpRun, ...], ...]

    @property
    def segment(self) -> SegmentFile:
        """One of the files it is read from."""
        return self.copies[0][0].segment

    @property
    def size_bytes(self) -> int:
        """Bytes to be read."""
        return sum(part.size_bytes for copy in self.copies for part in copy)


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """What one task reads, and the folder per table that it writes to."""

    ranges: tuple[tuple[OffsetRange, tuple[str, ...]], ...]
    """Each range with the archived files that may hold some of its records."""
    folders: Mapping[str, str]
    read_at: datetime

    @property
    def name(self) -> str:
        """The partitions it reads, in words."""
        partitions = list(dict.fromkeys(f"{span.topic}-{span.partition}" for span, _archived in self.ranges))
        more = f" and {len(partitions) - 1} more partitions" if len(partitions) > 1 else ""
        return f"{partitions[0]}{more} of cluster {self.ranges[0][0].cluster}"
