"""Copies of one log, read side by side: the rows of all copies for the same offsets come together.

Put here only the alignment. Where rows come from is in `assets.ingest.worker`, what is kept of them in
`assets.ingest.comparison.dedupe`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from parsers.files.discovery import SegmentFile
    from parsers.words import Int64Array


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one copy in the order of their offsets, at least one, and their file."""

    segment: SegmentFile
    rows: pa.RecordBatch
    offsets: Int64Array
    source: str | None = None
    """Set for rows of a tool's dump: its NULLs mean unknown, and contradict nothing."""
    records: pa.RecordBatch | None = None
    """The records in these batches, where the rows are batches whose records are read, too."""

    def before(self, offset: int) -> Part | None:
        """The rows below an offset."""
        return self._part_between(0, int(np.searchsorted(self.offsets, offset)))

    def since(self, offset: int) -> Part | None:
        """The rows at or after an offset."""
        return self._part_between(int(np.searchsorted(self.offsets, offset)), len(self.offsets))

    def _part_between(self, start: int, stop: int) -> Part | None:
        if start == stop:
            return None
        if stop - start == len(self.offsets):
            return self
        offsets = self.offsets[start:stop]
        records = None if self.records is None else in_batches(self.records, offsets)
        return Part(self.segment, self.rows.slice(start, stop - start), offsets, self.source, records)


@dataclass(frozen=True, slots=True)
class RowStream:
    """The rows of one file, fetch or run to come, in the order of offsets, and an offset that none of them is below."""

    first_offset: int
    parts: Iterator[Part]


def in_batches(records: pa.RecordBatch, base_offsets: Int64Array) -> pa.RecordBatch:
    """Those of the records whose batch is among neighbours with these base offsets; records are in their order."""
    batches = records.column("batch_base_offset").to_numpy()
    start, stop = np.searchsorted(batches, base_offsets[0]), np.searchsorted(batches, base_offsets[-1], side="right")
    return records.slice(int(start), int(stop - start))


def side_by_side(streams: Sequence[RowStream]) -> Iterator[list[Part]]:
    """Read all streams side by side: each step gives, of every stream with any, its rows below the same offset.

    A stream begins when the others come near its first offset: of segments that follow each other one is open at a
    time, of those that overlap all are. Only what one step is about is held in memory.
    """
    merge = _Merge(streams)
    while (end := merge.next_end()) is not None:
        yield merge.take(end)


class _Merge:
    """The streams that are not open yet, and the next rows of the open ones."""

    def __init__(self, streams: Sequence[RowStream]) -> None:
        self._streams = streams
        self._later = sorted(range(len(streams)), key=lambda one: streams[one].first_offset, reverse=True)
        self._waiting: dict[int, Part] = {}

    def next_end(self) -> int | None:
        """The offset up to which the next rows of all streams are loaded; None at the end of all streams."""
        while self._later and self._is_due(self._later[-1]):
            self._go_on(self._later.pop())
        return self._nearest()

    def take(self, end: int) -> list[Part]:
        """The rows below an offset, in the order of the streams."""
        parts = [part.before(end) for _one, part in sorted(self._waiting.items())]
        left = {one: part.since(end) for one, part in self._waiting.items()}
        self._waiting = {one: part for one, part in left.items() if part is not None}
        for one in left.keys() - self._waiting.keys():
            self._go_on(one)
        return [part for part in parts if part is not None]

    def _is_due(self, one: int) -> bool:
        nearest = self._nearest()
        return nearest is None or self._streams[one].first_offset < nearest

    def _nearest(self) -> int | None:
        return min((1 + int(part.offsets[-1]) for part in self._waiting.values()), default=None)

    def _go_on(self, one: int) -> None:
        part = next(self._streams[one].parts, None)
        if part is not None:
            self._waiting[one] = part
