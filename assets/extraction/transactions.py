"""What became of transactional batches: whose transaction was aborted, and of whose nothing tells how it ended.

Put here the walk over markers. Only headers are read, of the range and as far behind it as transactions of the range
are open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets.ingest.comparison.copies import Part, RowStream, side_by_side
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from assets.extraction.log_ranges import LogRange
    from assets.extraction.log_streams import LogStream
    from parsers.words import Int64Array

MOST_ABORTED: Final = 4_000_000
"""Aborted transactions of one range that are remembered; more of them would take gigabytes."""
COMMITTED: Final = 0
ABORTED: Final = 1
UNDECIDED: Final = 2
_HEADERS: Final = ("base_offset", "last_offset", "producer_id", "is_transactional", "is_control", "control_type")
_LARGEST: Final = (1 << 63) - 1


@dataclass(slots=True)
class Outcomes:
    """Of each producer: where its aborted and undecided transactions begin and end, in order."""

    _spans: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    _count: int = 0

    def add(self, producer: int, begin: int, end: int, outcome: int) -> None:
        """Add the transaction of a producer that did not commit."""
        self._count += 1
        if self._count > MOST_ABORTED:
            raise SourceError(
                f"more than {MOST_ABORTED:,} transactions of the range did not commit: extract it in shorter ranges"
            )
        self._spans.setdefault(producer, []).append((begin, end, outcome))

    def of(self, producers: Int64Array, offsets: Int64Array) -> Int64Array:
        """The outcome of the transaction that each batch belongs to, by its producer and base offset."""
        outcomes = np.full(len(offsets), COMMITTED, np.int64)
        for producer in np.unique(producers).tolist():
            if producer in self._spans:
                rows = np.flatnonzero(producers == producer)
                outcomes[rows] = _outcomes(np.array(self._spans[producer], np.int64), offsets[rows])
        return outcomes


def _outcomes(spans: Int64Array, offsets: Int64Array) -> Int64Array:
    before = np.searchsorted(spans[:, 0], offsets, side="right") - 1
    is_inside = (before >= 0) & (offsets < spans[before, 1])
    return np.where(is_inside, spans[before, 2], COMMITTED)


def find_outcomes(streams: Sequence[LogStream], wanted: LogRange) -> Outcomes:
    """The outcomes of all transactions in a range, from the markers in all copies of its log.

    A transaction is undecided where no marker follows in the log, or where unread offsets lie before it.
    """
    walk = _Walk(wanted)
    rows = (RowStream(stream.first_offset, _rows(stream, wanted)) for stream in streams)
    for parts in side_by_side(list(rows)):
        walk.take(_each_batch_once([part.rows for part in parts]))
        if walk.is_over:
            break
    return walk.end()


def _rows(stream: LogStream, wanted: LogRange) -> Iterator[Part]:
    """The headers of one copy from the range's beginning to the end of its log."""
    reach = type(wanted)(*wanted.log, wanted.from_offset, _LARGEST)
    for log_slice in stream.slices(reach, bodies=False):
        headers = log_slice.piece.batches.select(list(_HEADERS))
        headers = headers.append_column("covered_from", pa.array(log_slice.covered_from))
        headers = headers.filter(pa.array(log_slice.is_sound & (log_slice.end_offset > wanted.from_offset)))
        if headers.num_rows:
            yield Part(stream.segment, headers, headers.column("base_offset").to_numpy())


def _each_batch_once(copies: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The headers of all copies in the order of offsets; of several with one offset that with the fewest before it."""
    if len(copies) == 1:
        return copies[0]
    headers = pa.concat_batches(copies)
    starts, covered = (headers.column(name).to_numpy() for name in ("base_offset", "covered_from"))
    order = np.lexsort((covered, starts))
    return headers.take(pa.array(order[np.diff(starts[order], prepend=-1) != 0]))


def flags(batches: pa.RecordBatch, column: str) -> npt.NDArray[np.bool_]:
    """A column of flags as a mask; false where one is NULL."""
    mask: npt.NDArray[np.bool_] = batches.column(column).fill_null(False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    return mask


@dataclass(slots=True)
class _Walk:
    """The state of the log at one offset: which producers have a transaction open, and since which batch."""

    wanted: LogRange
    _outcomes: Outcomes = field(default_factory=Outcomes)
    _open: dict[int, int] = field(default_factory=dict)
    _reached: int = -1
    _is_past: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the range lies behind, and no transaction of it is open."""
        return self._is_past and not self._open

    def take(self, headers: pa.RecordBatch) -> None:
        """Go over the next batches."""
        starts, ends = (headers.column(name).to_numpy() for name in ("covered_from", "last_offset"))
        reached = np.maximum.accumulate(np.concatenate([[self._reached], ends + 1]))
        gaps = np.flatnonzero((starts > reached[:-1]) & (reached[:-1] >= 0))
        is_marker_or_data = flags(headers, "is_transactional")
        rows = np.union1d(np.flatnonzero(is_marker_or_data), gaps)
        gap_starts = dict(zip(gaps.tolist(), reached[gaps].tolist(), strict=True))
        for row, values in zip(rows.tolist(), headers.take(pa.array(rows)).to_pylist(), strict=True):
            if row in gap_starts:
                self._leave_open(gap_starts[row])
            self._step(**{name: values[name] for name in _HEADERS if name != "last_offset"})
        self._reached = int(reached[-1])
        self._is_past |= self._reached >= self.wanted.to_offset

    def _step(
        self, base_offset: int, producer_id: int | None, control_type: str | None, *, is_transactional: bool,
        is_control: bool,
    ) -> None:  # fmt: skip
        """One batch: data opens a transaction, a marker ends it."""
        if producer_id is None or not is_transactional:
            return
        if not is_control and base_offset < self.wanted.to_offset:
            self._open.setdefault(producer_id, base_offset)
        elif control_type == "ABORT" and producer_id in self._open:
            self._outcomes.add(producer_id, self._open.pop(producer_id), base_offset, ABORTED)
        elif control_type == "COMMIT":
            self._open.pop(producer_id, None)

    def _leave_open(self, end: int) -> None:
        """Unread offsets follow: they may have the markers of all that is open."""
        for producer, begin in self._open.items():
            self._outcomes.add(producer, begin, end, UNDECIDED)
        self._open.clear()

    def end(self) -> Outcomes:
        """The outcomes, those that are open at the end of the log being undecided."""
        self._leave_open(_LARGEST)
        return self._outcomes
