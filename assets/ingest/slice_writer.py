"""A slice of a log split into rows for its table and troubles for the quarantine, and both counted.

Put here what holds of any log, from a file or a running cluster. `assets.ingest.worker` and
`assets.ingest.live.reading` read its bytes, `assets.ingest.comparison.dedupe` decides which rows are new.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.mask_filter import pick_rows
from assets.ingest.comparison.copies import Part, in_batches
from assets.ingest.comparison.gaps import is_of, unsound_beside_gaps
from assets.ingest.comparison.identities import identity_of
from assets.ingest.erased_groups import without_bytes
from parsers.internal_records import internal_record_columns
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble, quarantine_table
from parsers.log.inflation import PACKED
from parsers.log.order import Batches
from parsers.offset_records import offset_record_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from numpy.typing import NDArray

    from assets.ingest.work_units import OffsetRange
    from assets.storage.parquet_files import TableFiles
    from parsers.files.discovery import SegmentFile
    from parsers.files.internal_topics import InternalTopic
    from parsers.log.order import OffsetOrder
    from parsers.log.segments import Slice
    from parsers.sources import ByteSource

MISPLACED: Final = (
    "base offset",
    "an offset between those of the batches around it, and within 2^31 of the one before",
)
"""Reason and expectation of a batch that is sound but for its offset, which no checksum covers."""


@dataclass(slots=True)
class Tally:
    """The counts and positions of a read so far: the columns of its row in raw.segments that come from the bytes."""

    start_position: int = 0
    end_position: int = 0
    is_continued: bool = False
    first_batch_crc: int | None = None
    last_batch_position: int | None = None
    last_batch_crc: int | None = None
    torn_bytes: int = 0
    batch_count: int = 0
    record_count: int = 0
    quarantined_count: int = 0
    batches_set_aside: int = 0
    first_offset: int | None = None
    last_offset: int | None = None

    @property
    def end_offset(self) -> int | None:
        """The offset after the last batch; None where there was none."""
        return None if self.last_offset is None else self.last_offset + 1

    def count(self, piece: Slice, batches: pa.RecordBatch, troubles: int) -> None:
        """Add one slice, its sound batches, and the number of its troubles."""
        self.end_position, self.torn_bytes = piece.end_position, piece.torn_bytes
        self.batch_count += batches.num_rows
        self.record_count += _records_claimed(batches)
        self.quarantined_count += troubles
        if not batches.num_rows:
            return
        first, last = (batches.slice(row, 1) for row in (0, batches.num_rows - 1))
        if self.first_offset is None:
            self.first_offset = first.column("base_offset")[0].as_py()
        if first.column("position")[0].as_py() == 0:
            self.first_batch_crc = first.column("crc")[0].as_py()
        self.last_offset = last.column("last_offset")[0].as_py()
        self.last_batch_position = last.column("position")[0].as_py()
        self.last_batch_crc = last.column("crc")[0].as_py()


@dataclass(slots=True)
class SliceWriter:
    """One read of a log under way: its segment, its range of offsets, the files of its troubles, and its tally."""

    segment: SegmentFile
    span: OffsetRange
    files: TableFiles
    read_at: datetime
    tally: Tally
    accounts: list[dict[str, Any]]
    """A row of raw.segments for each read that came to its end."""
    has_erased: bool = False
    """Groups were erased from the warehouse: what can't be read may be theirs, and goes into it without its bytes."""
    internal: InternalTopic | None = None
    """The kind of topic, if its records are read beside the headers of its batches."""

    def take(self, piece: Slice, source: ByteSource, order: OffsetOrder | None = None) -> Iterator[Part]:
        """Quarantine the troubles of a slice, count it, give its rows; `order` finds the misplaced offsets."""
        is_wrong, troubles = self._find_wrong(piece, source, order)
        records, unread = self._records(piece)
        if records is not None and piece.records is not None and is_wrong.any():
            records = pick_rows(records, ~is_wrong[piece.records.batch])
        troubles += unread
        self.set_aside([piece.quarantine, quarantine_table(troubles)])
        batches = pick_rows(piece.batches, ~is_wrong) if is_wrong.any() else piece.batches
        self.tally.count(piece, batches, piece.quarantine.num_rows + len(troubles))
        self.tally.batches_set_aside += int(is_wrong.sum()) + _unread_batches(piece)
        if records is not None and self.internal is None:
            yield from self._within(records, None)
        else:
            yield from self._within(batches, records)

    def _records(self, piece: Slice) -> tuple[pa.RecordBatch | None, list[Trouble]]:
        """The records of a slice and their troubles; None of a topic of which only headers are read."""
        if self.segment.is_offsets_topic:
            return offset_record_columns(piece)
        return (None, []) if self.internal is None else internal_record_columns(piece, self.internal)

    def _find_wrong(
        self, piece: Slice, source: ByteSource, order: OffsetOrder | None
    ) -> tuple[NDArray[np.bool_], list[Trouble]]:
        """A mask of the unsound batches of a slice, and their troubles."""
        is_wrong = _is_misplaced(piece, order)
        troubles = _troubles(source, pick_rows(piece.batches, is_wrong))
        if not self.segment.is_offsets_topic and self.internal is None:
            unsound = unsound_beside_gaps(pick_rows(piece.batches, ~is_wrong), source)
            overfull = _overfull(source, pick_rows(piece.batches, ~is_wrong))
            is_wrong |= is_of(piece.batches, [*unsound, *overfull])
            troubles += [*unsound, *overfull]
        return is_wrong, troubles

    def set_aside(self, troubles: Iterable[pa.RecordBatch]) -> None:
        """Write troubles to the quarantine."""
        place = {"cluster": self.segment.cluster, "topic": self.segment.topic, "partition": self.segment.partition}
        for trouble in troubles:
            rows = without_bytes(trouble) if self.has_erased else trouble
            self.files.write("raw.quarantine", rows, {**place, "path": self.segment.path, "read_at": self.read_at})

    def account(self, source: str, **known: int | str | None) -> None:
        """Add the read's row of raw.segments; `known` has the columns that replace the tally's."""
        row = {**asdict(self.segment), **asdict(self.tally), "end_offset": self.tally.end_offset, **known}
        self.accounts.append(row | {"source": source, "read_at": self.read_at})

    def _within(self, rows: pa.RecordBatch, records: pa.RecordBatch | None) -> Iterator[Part]:
        """The rows that lie in the range; records, if any, are those in batches."""
        first, end = self.span.first_offset, self.span.end_offset
        offsets = rows.column(identity_of(self.segment).offset).to_numpy(zero_copy_only=False)
        if len(offsets) and not first <= offsets[0] <= offsets[-1] < end:
            inside = (offsets >= first) & (offsets < end)
            rows, offsets = rows.filter(pa.array(inside)), offsets[inside]
        if len(offsets):
            yield Part(self.segment, rows, offsets, records=None if records is None else in_batches(records, offsets))


def _is_misplaced(piece: Slice, order: OffsetOrder | None) -> NDArray[np.bool_]:
    """A mask of the batches with an impossible base offset."""
    if order is None:
        return np.zeros(piece.batches.num_rows, np.bool_)
    first, last = (piece.batches.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    counts = piece.batches.column("record_count").fill_null(-1).to_numpy()
    return order.find_strays(Batches(first, last, counts), piece.end_position)


def _records_claimed(batches: pa.RecordBatch) -> int:
    """The records of batches by their headers: of each no more than it has offsets."""
    counts = batches.column("record_count").fill_null(0).to_numpy()
    first, last = (batches.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    return int(np.minimum(counts, last - first + 1).sum())


def _overfull(source: ByteSource, batches: pa.RecordBatch) -> list[Trouble]:
    """The troubles of batches that claim more records than offsets; only for batches whose bodies are not read."""
    first, last = (batches.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    counts = batches.column("record_count").fill_null(0).to_numpy()
    overfull = pick_rows(batches, counts > last - first + 1).select(
        ["position", "size_bytes", "base_offset", "record_count"]
    )
    expected = "no more records than offsets"
    return [
        Trouble(at, size, offset, "batch counts", expected, f"{count} records", _beginning(source, at, size))
        for at, size, offset, count in (row.values() for row in overfull.to_pylist())
    ]


def _unread_batches(piece: Slice) -> int:
    """The number of unreadable gaps between the batches of a slice, and of bodies that could not be inflated."""
    if not piece.quarantine.num_rows:
        return 0
    start, size = (piece.batches.column(name).to_numpy() for name in ("position", "size_bytes"))
    position = piece.quarantine.column("position").to_numpy()
    at = np.searchsorted(start, position, side="right") - 1
    is_inside = (at >= 0) & (position < np.append(start + size, 0)[at])
    is_packed = pc.equal(piece.quarantine.column("reason"), PACKED).to_numpy(zero_copy_only=False)
    return int((~is_inside | is_packed).sum())


def _troubles(source: ByteSource, misplaced: pa.RecordBatch) -> list[Trouble]:
    """The troubles of batches that are sound but for their offsets."""
    rows = misplaced.select(["position", "size_bytes", "base_offset"]).to_pylist()
    return [_trouble(source, row["position"], row["size_bytes"], row["base_offset"]) for row in rows]


def _trouble(source: ByteSource, position: int, size_bytes: int, offset: int) -> Trouble:
    """The trouble of a batch that is sound but for its offset."""
    return Trouble(position, size_bytes, offset, *MISPLACED, str(offset), _beginning(source, position, size_bytes))


def _beginning(source: ByteSource, position: int, size_bytes: int) -> bytes:
    return source.read(position, min(size_bytes, QUOTED_BYTES)).tobytes()
