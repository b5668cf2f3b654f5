"""The description of a task's work: ranges of logs, in files and from a running cluster, and the folders of the rows.

Put here the description alone. `assets.ingest.plan` and `assets.ingest.split_ranges` make it,
`assets.ingest.worker` and `assets.ingest.live.reading` carry it out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from assets.ingest.erased_groups import NO_GROUPS
from parsers.files.internal_topics import DECLARED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from assets.ingest.erased_groups import ErasedGroups
    from assets.ingest.live.access import Access
    from assets.ingest.read_history import KnownRead
    from parsers.files.discovery import SegmentFile
    from parsers.files.internal_topics import InternalTopics

    ArchivedFiles = Mapping[str, tuple[str, ...]]
    """By table, the archived files that may hold rows of a range."""

NO_END: Final = (1 << 63) - 1
RECORD_BYTES: Final = 150
"""About the size of a record of the offsets topic: an estimate for ranges of a log of unknown size."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file to read, and the known read that it continues: reading starts at the end of that one."""

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
        """Whether it starts at the end of the known read."""
        return self.file.known is not None and self.start_position == self.file.start_position

    @property
    def size_bytes(self) -> int:
        """Bytes of the range, by the file's size when it was listed."""
        stop = self.segment.size_bytes if self.stop_position is None else self.stop_position
        return max(stop - self.start_position, 0)


@dataclass(frozen=True, slots=True)
class LiveRead:
    """One range of a log to fetch from a running cluster, described like a segment that begins with it."""

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
    """Records of one partition from a dump, in the order of their offsets, in a temporary file of this run."""

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
    """The ranges that one task reads, and the folder of each table that it writes to."""

    ranges: tuple[tuple[OffsetRange, ArchivedFiles], ...]
    folders: Mapping[str, str]
    read_at: datetime
    erased: ErasedGroups = NO_GROUPS
    internal_topics: InternalTopics = DECLARED

    @property
    def name(self) -> str:
        """The partitions that it reads, for messages."""
        partitions = list(dict.fromkeys(f"{span.topic}-{span.partition}" for span, _archived in self.ranges))
        more = f" and {len(partitions) - 1} more partitions" if len(partitions) > 1 else ""
        return f"{partitions[0]}{more} of cluster {self.ranges[0][0].cluster}"
