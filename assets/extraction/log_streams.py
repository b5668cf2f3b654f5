"""One copy of a log as slices from an offset on: a segment file, or a partition of a running cluster.

Put here how a copy is opened and how far each of its batches says that nothing lies before it. What becomes of the
records belongs in `assets.extraction.extract`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from assets.ingest.live.reading import Piece, fetch_batches
from parsers.errors import SourceError
from parsers.log.batches import chain, last_offset
from parsers.log.order import Batches, OffsetOrder
from parsers.log.segments import walk
from parsers.log.slices import index_beside, position_before
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt
    import pyarrow as pa

    from assets.extraction.log_ranges import LogRange
    from assets.ingest.live.reading import Fetcher
    from assets.ingest.work_units import LiveRead
    from parsers.files.discovery import SegmentFile
    from parsers.log.segments import Slice
    from parsers.sources import ByteSource
    from parsers.words import ByteArray, Int64Array


@dataclass(frozen=True, slots=True)
class LogSlice:
    """Batches of one copy, and the offsets that each of them covers: from `covered_from` to its last one.

    Between the end of a batch and the beginning of the next one in the same file, offsets are covered: the log cleaner
    took their records. Beside damage they are not. An unsound batch covers nothing, and its records do not count.
    """

    piece: Slice
    covered_from: Int64Array
    is_sound: npt.NDArray[np.bool_]

    @property
    def first_offset(self) -> Int64Array:
        """The first offset of each batch."""
        return _numbers(self.piece.batches, "base_offset")

    @property
    def end_offset(self) -> Int64Array:
        """The offset after each batch."""
        return _numbers(self.piece.batches, "last_offset") + 1


class LogStream(Protocol):
    """One copy of a log, or of a part of it."""

    @property
    def segment(self) -> SegmentFile:
        """The file, or what is described like one."""
        ...

    @property
    def first_offset(self) -> int:
        """An offset that no record is below."""
        ...

    def slices(self, wanted: LogRange, *, bodies: bool) -> Iterator[LogSlice]:
        """The batches that hold a range, and perhaps some beside it; without bodies only their headers are read."""
        ...


@dataclass(slots=True)
class _Reached:
    """The offset up to which a copy was read without damage; None behind damage."""

    offset: int | None

    def judge(self, piece: Slice, is_sound: npt.NDArray[np.bool_]) -> LogSlice:
        """The offsets that the batches of the next slice cover."""
        rows = np.flatnonzero(is_sound)
        first, end = _numbers(piece.batches, "base_offset")[rows], _numbers(piece.batches, "last_offset")[rows] + 1
        positions = _numbers(piece.batches, "position")[rows]
        damaged, behind = _beside(piece, positions, positions + _numbers(piece.batches, "size_bytes")[rows])
        begin = first[:1] if self.offset is None else np.array([self.offset], np.int64)[: len(first)]
        covered = np.minimum(np.concatenate([begin, end[:-1]]), first)
        behind = np.union1d(behind, np.searchsorted(rows, np.flatnonzero(~is_sound)))
        covered[behind[behind < len(rows)]] = first[behind[behind < len(rows)]]
        covered[damaged] = end[damaged]
        if len(rows):
            self.offset = int(end[-1])
        if (behind == len(rows)).any():
            self.offset = None
        all_covered = _numbers(piece.batches, "last_offset") + 1
        all_covered[rows] = covered
        return LogSlice(piece, all_covered, is_sound)


def _beside(piece: Slice, starts: Int64Array, ends: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The batches in which something could not be read, and those that begin behind what is no batch."""
    troubles = _numbers(piece.quarantine, "position")
    following = np.searchsorted(starts, troubles, side="right")
    is_inside = (following > 0) & (troubles < ends[following - 1]) if len(ends) else np.zeros(len(troubles), np.bool_)
    return following[is_inside] - 1, following[~is_inside]


def _numbers(table: pa.RecordBatch, column: str) -> Int64Array:
    numbers: Int64Array = table.column(column).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


@dataclass(slots=True)
class FileStream:
    """A segment file; a sentence about what could not be read goes to `complaints`, bytes to `progress`."""

    segment: SegmentFile
    complaints: list[str]
    progress: Callable[[int], None] = field(default=lambda _size_bytes: None)

    @property
    def first_offset(self) -> int:
        """The offset in the file's name."""
        return self.segment.base_offset

    def slices(self, wanted: LogRange, *, bodies: bool) -> Iterator[LogSlice]:
        """The batches from the range's beginning to its end, or to the end of the file."""
        try:
            with open_file(self.segment.location) as source:
                yield from self._slices(source, wanted, bodies=bodies)
        except SourceError as error:
            self.complaints.append(str(error))

    def _slices(self, source: ByteSource, wanted: LogRange, *, bodies: bool) -> Iterator[LogSlice]:
        start = position_of(source, self.segment, wanted.from_offset)
        order = OffsetOrder(self.segment.base_offset, source)
        reached = _Reached(wanted.from_offset if start else self.segment.base_offset)
        for piece in walk(source, start, bodies=bodies):
            log_slice = reached.judge(piece, ~_strays(piece, order))
            yield log_slice
            self.progress(piece.end_position - piece.start_position)
            if len(log_slice.end_offset) and int(log_slice.end_offset.max()) >= wanted.to_offset:
                return


def position_of(source: ByteSource, segment: SegmentFile, offset: int) -> int:
    """Where the first batch begins that reaches to an offset: the index says from where to look; 0 in doubt."""
    if offset <= segment.base_offset:
        return 0
    position = position_before(source, index_beside(segment.location), segment.base_offset, offset)
    for piece in walk(source, position, bodies=False):
        reaching = np.flatnonzero(_numbers(piece.batches, "last_offset") >= offset)
        if piece.quarantine.num_rows:
            return position
        if len(reaching):
            return int(piece.batches.column("position")[int(reaching[0])].as_py())
    return source.size_bytes


def _strays(piece: Slice, order: OffsetOrder) -> npt.NDArray[np.bool_]:
    """The batches with an impossible base offset, which no checksum covers."""
    counts = piece.batches.column("record_count").fill_null(-1).to_numpy(zero_copy_only=False)
    batches = Batches(_numbers(piece.batches, "base_offset"), _numbers(piece.batches, "last_offset"), counts)
    return order.find_strays(batches, piece.end_position)


@dataclass(slots=True)
class LiveStream:
    """A partition of a running cluster, fetched from its leader."""

    read: LiveRead
    fetcher: Fetcher
    complaints: list[str]
    progress: Callable[[int], None] = field(default=lambda _size_bytes: None)

    @property
    def segment(self) -> SegmentFile:
        """The log, described like a segment that begins where it does."""
        return self.read.segment

    @property
    def first_offset(self) -> int:
        """The log start offset."""
        return self.read.segment.base_offset

    def slices(self, wanted: LogRange, *, bodies: bool) -> Iterator[LogSlice]:
        """The batches from the range's beginning to its end, or to the high watermark."""
        try:
            yield from self._slices(wanted, bodies=bodies)
        except SourceError as error:
            self.complaints.append(str(error))

    def _slices(self, wanted: LogRange, *, bodies: bool) -> Iterator[LogSlice]:
        offset = max(wanted.from_offset, self.first_offset)
        reached, end = _Reached(offset), min(wanted.to_offset, self.read.end_offset)
        while offset < end:
            buffer = fetch_batches(self.read, offset, self.fetcher)
            if buffer is None:
                offset = self.fetcher.resume(self.read, offset)
                reached = _Reached(offset)
                continue
            if not len(buffer):
                return
            bounds = chain(buffer, len(buffer), len(buffer))
            if len(bounds) == 1:
                raise SourceError(f"{self.segment.path}: the broker gave no whole batch at offset {offset}")
            yield from self._pieces(buffer[: bounds[-1]], reached, bodies=bodies)
            offset = max(offset + 1, int(last_offset(buffer, bounds[-2])) + 1)

    def _pieces(self, buffer: ByteArray, reached: _Reached, *, bodies: bool) -> Iterator[LogSlice]:
        for piece in walk(Piece(self.segment.path, 0, buffer), 0, bodies=bodies):
            yield reached.judge(piece, np.ones(piece.batches.num_rows, np.bool_))
            self.progress(piece.end_position - piece.start_position)
