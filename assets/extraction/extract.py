"""The records of a range of a log, from all copies of it: each offset once, committed data alone.

Put here which records count and how the others are counted. How copies are read belongs in
`assets.extraction.log_streams`, what is written in `assets.extraction.record_files`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.extraction.log_ranges import NO_END, Coverage
from assets.extraction.transactions import ABORTED, COMMITTED, UNDECIDED, find_outcomes, flags
from assets.ingest.comparison.copies import Part, RowStream, side_by_side
from parsers.data_records import RECORD_SCHEMA, chunks, record_columns, without_contents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from assets.extraction.log_ranges import LogRange
    from assets.extraction.log_streams import LogSlice, LogStream
    from assets.extraction.transactions import Outcomes
    from parsers.words import Int64Array

CONTROL: Final = 3
"""Beside the outcomes of transactions: a record that the broker wrote as a marker."""
_LEADER_EPOCH: Final = "leader_epoch"
_STATUS: Final = "status"


@dataclass(slots=True)
class Tally:
    """What was found in a range: records that count, and offsets that have none for this or that reason."""

    wanted: LogRange
    records: int = 0
    size_bytes: int = 0
    aborted: int = 0
    undecided: int = 0
    markers: int = 0
    diverged: int = 0
    lost: int = 0
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The offsets of the range of which nothing could be read, as half-open ranges."""
        return list(self.coverage.missing(self.wanted.from_offset, self.wanted.to_offset))

    @property
    def cleaned(self) -> int:
        """The offsets that were read and have no record: the log cleaner took it, or there was none."""
        covered = self.coverage.within(self.wanted.from_offset, self.wanted.to_offset)
        taken = sum(end - begin for begin, end in covered)
        return max(0, taken - self.records - self.aborted - self.undecided - self.markers - self.lost)

    @property
    def is_whole(self) -> bool:
        """Whether every committed record of the range was read; of a log of which nothing was, that is not known."""
        begin, end = self.wanted.from_offset, self.wanted.to_offset
        is_any_read = end != NO_END or bool(self.coverage.within(begin, end))
        return is_any_read and not self.missing and not self.undecided

    def count(self, rows: pa.RecordBatch, status: Int64Array) -> None:
        """Add rows, each offset once."""
        numbers = np.bincount(status, minlength=CONTROL + 1).tolist()
        self.records += numbers[COMMITTED]
        self.aborted += numbers[ABORTED]
        self.undecided += numbers[UNDECIDED]
        self.markers += numbers[CONTROL]
        for name in ("key", "value"):
            self.size_bytes += int(pc.sum(pc.binary_length(rows.column(name)), min_count=0).as_py())


class Extraction:
    """The records of one range, batch by batch in the order of their offsets, and the tally of it."""

    def __init__(self, wanted: LogRange, streams: Sequence[LogStream]) -> None:
        """Take the range and the copies of its log; of contradicting copies the later leader's record counts."""
        self.tally = Tally(wanted)
        self._wanted, self._streams = wanted, streams
        self._outcomes: Outcomes | None = None
        self._later_epoch = -1

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The records, with the columns of `RECORD_SCHEMA`; in memory is what about two slices hold."""
        before_end = [one for one in self._streams if one.first_offset < self._wanted.to_offset]
        streams = [RowStream(stream.first_offset, self._parts(stream)) for stream in before_end]
        for parts in side_by_side(streams):
            rows = self._each_offset_once([part.rows for part in parts])
            status = rows.column(_STATUS).to_numpy()
            self.tally.count(rows, status)
            records = rows.select(RECORD_SCHEMA.names).filter(pa.array(status == COMMITTED))
            if records.num_rows:
                yield records

    def _parts(self, stream: LogStream) -> Iterator[Part]:
        """The records of one copy that lie in the range, whatever became of their transactions."""
        for log_slice in stream.slices(self._wanted, bodies=True):
            self.tally.coverage.add(
                log_slice.covered_from[log_slice.is_sound], log_slice.end_offset[log_slice.is_sound]
            )
            for rows in self._rows(log_slice):
                yield Part(stream.segment, rows, rows.column("offset").to_numpy())

    def _rows(self, log_slice: LogSlice) -> Iterator[pa.RecordBatch]:
        records = log_slice.piece.records
        if records is None or not len(records):
            return
        status, epoch = self._status(log_slice), log_slice.piece.batches.column(_LEADER_EPOCH)
        is_wanted = (records.offset >= self._wanted.from_offset) & (records.offset < self._wanted.to_offset)
        for some in chunks(records, is_wanted & log_slice.is_sound[records.batch]):
            of_record = status[some.batch]
            columns = record_columns(without_contents(some, of_record != COMMITTED))
            columns = columns.append_column(_LEADER_EPOCH, epoch.take(pa.array(some.batch)))
            yield columns.append_column(_STATUS, pa.array(of_record))

    def _status(self, log_slice: LogSlice) -> Int64Array:
        """What each batch is: control, or data by the outcome of its transaction."""
        batches = log_slice.piece.batches
        is_control, is_transactional = (flags(batches, name) for name in ("is_control", "is_transactional"))
        status = np.where(is_control, CONTROL, COMMITTED)
        rows = np.flatnonzero(is_transactional & ~is_control)
        if len(rows):
            if self._outcomes is None:
                self._outcomes = find_outcomes(self._streams, self._wanted)
            producers = batches.column("producer_id").fill_null(-1).to_numpy(zero_copy_only=False)
            status[rows] = self._outcomes.of(producers[rows], log_slice.first_offset[rows])
        return status

    def _each_offset_once(self, copies: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
        """The rows of all copies in the order of offsets: of several with one offset that of the latest leader.

        Behind an offset at which copies contradict each other, what an earlier leader had is lost: no log has it.
        """
        rows = copies[0] if len(copies) == 1 else pa.concat_batches(copies)
        if len(copies) == 1 and self._later_epoch < 0:
            return rows
        offsets = rows.column("offset").to_numpy()
        epochs = rows.column(_LEADER_EPOCH).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        order = np.lexsort((-epochs, offsets))
        contested = _contested(rows, order)
        later = np.maximum.accumulate(np.where(contested, epochs[order], self._later_epoch))
        self._later_epoch = int(later[-1])
        is_first = np.diff(offsets[order], prepend=-1) != 0
        is_lost = is_first & (epochs[order] >= 0) & (epochs[order] < later)
        self.tally.diverged += int(np.count_nonzero(contested))
        self.tally.lost += int(np.count_nonzero(is_lost))
        return rows.take(pa.array(order[is_first & ~is_lost]))


def _contested(rows: pa.RecordBatch, order: Int64Array) -> npt.NDArray[np.bool_]:
    """Which rows, in this order, have one behind them with the same offset, another leader and another content.

    No checksum covers the epoch of a leader: where all else is the same, the epoch of one copy is damaged.
    """
    here, behind = (rows.take(pa.array(some)) for some in (order[:-1], order[1:]))
    is_same_offset, is_same_leader, *is_same = (
        pc.fill_null(pc.equal(here.column(name), behind.column(name)), False).to_numpy(zero_copy_only=False)  # noqa: FBT003
        | (_is_null(here, name) & _is_null(behind, name))
        for name in ("offset", _LEADER_EPOCH, "timestamp_ms", "key", "value")
    )
    contested = is_same_offset & ~is_same_leader & ~np.logical_and.reduce(is_same)
    return np.append(contested, False)


def _is_null(rows: pa.RecordBatch, name: str) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = rows.column(name).is_null().to_numpy(zero_copy_only=False)
    return mask
