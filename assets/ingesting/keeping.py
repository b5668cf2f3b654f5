"""What becomes of a slice of a log: its rows go on, its troubles go to the quarantine, and all of it is counted.

Put here what holds of any log, whether it came as a file or from a running cluster. How its bytes are got belongs in
`assets.ingesting.reading` and `assets.live.reading`, which of the rows are new is told in `assets.ingesting.kept`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.ingesting.copies import Part
from assets.ingesting.gaps import is_of, unsound_beside_gaps
from assets.ingesting.kept import identity_of
from assets.ingesting.picking import picked
from assets.tables import TABLES
from parsers.log.quarantine import KEPT_BYTES, Trouble, quarantine_table
from parsers.offset_records import offset_record_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from numpy.typing import NDArray

    from assets.ingesting.parquet_files import TableFiles
    from assets.ingesting.reads import OffsetRange
    from parsers.files.discovery import SegmentFile
    from parsers.log.order import OffsetOrder
    from parsers.log.segments import Slice
    from parsers.sources import ByteSource

MISPLACED: Final = (
    "base offset",
    "an offset between those of the batches around it, and within 2^31 of the file's name",
)
"""Reason and expectation of a batch that is sound but for its offset, which no checksum covers."""


@dataclass(slots=True)
class Tally:
    """What a read has seen of its stretch so far: the part of its row in raw.segments that only the bytes can tell."""

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
    first_offset: int | None = None
    last_offset: int | None = None

    @property
    def end_offset(self) -> int | None:
        """The offset after the last batch; None where there was none."""
        return None if self.last_offset is None else self.last_offset + 1

    def count(self, piece: Slice, batches: pa.RecordBatch, troubles: int) -> None:
        """Add one slice, those of its batches that are what they say, and the troubles in it."""
        self.end_position, self.torn_bytes = piece.end_position, piece.torn_bytes
        self.batch_count += batches.num_rows
        self.record_count += pc.sum(batches.column("record_count")).as_py() or 0
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
class Keeping:
    """One read of a log under way: what it is of, the range that counts, where its troubles go, and its tally."""

    segment: SegmentFile
    span: OffsetRange
    files: TableFiles
    read_at: datetime
    tally: Tally

    def take(self, piece: Slice, source: ByteSource, order: OffsetOrder | None = None) -> Iterator[Part]:
        """Set the troubles of a slice aside, count it, give its rows; `order` tells which offsets can't be right."""
        batches, wrong, troubles = self._judged(piece, source, order)
        rows, unread = offset_record_columns(piece) if self.segment.is_offsets_topic else (piece.batches, [])
        troubles += unread
        self.set_aside([piece.quarantine, quarantine_table(troubles)])
        self.tally.count(piece, batches, piece.quarantine.num_rows + len(troubles))
        yield from self._within(rows, wrong)

    def _judged(
        self, piece: Slice, source: ByteSource, order: OffsetOrder | None
    ) -> tuple[pa.RecordBatch, pa.Array, list[Trouble]]:
        """The batches of a slice that are what they say, the base offsets of the others, and why these are not."""
        is_wrong = _is_misplaced(piece.batches, order)
        troubles = _troubles(source, picked(piece.batches, is_wrong))
        if not self.segment.is_offsets_topic:
            unsound = unsound_beside_gaps(picked(piece.batches, ~is_wrong), source)
            is_wrong, troubles = is_wrong | is_of(piece.batches, unsound), troubles + unsound
        batches = picked(piece.batches, ~is_wrong) if is_wrong.any() else piece.batches
        return batches, picked(piece.batches, is_wrong).column("base_offset"), troubles

    def set_aside(self, troubles: Iterable[pa.RecordBatch]) -> None:
        """Put what could not be read into the quarantine."""
        place = {"cluster": self.segment.cluster, "topic": self.segment.topic, "partition": self.segment.partition}
        for rows in troubles:
            self.files.write("raw.quarantine", rows, {**place, "path": self.segment.path, "read_at": self.read_at})

    def account(self, source: str, **known: int | str | None) -> None:
        """Remember the read; `known` is what its source knows better than the tally."""
        row = {**asdict(self.segment), **asdict(self.tally), "end_offset": self.tally.end_offset, **known}
        row |= {"source": source, "read_at": self.read_at}
        self.files.write("raw.segments", pa.RecordBatch.from_pylist([row], schema=TABLES["raw.segments"].schema))

    def _within(self, rows: pa.RecordBatch, wrong: pa.Array) -> Iterator[Part]:
        """The rows that lie in the range and in no batch that is wrong."""
        first, end, identity = self.span.first_offset, self.span.end_offset, identity_of(self.segment)
        if len(wrong):
            rows = rows.filter(pc.invert(pc.is_in(rows.column(identity.batch_offset), wrong)))
        offsets = rows.column(identity.offset).to_numpy(zero_copy_only=False)
        if len(offsets) and not first <= offsets[0] <= offsets[-1] < end:
            inside = (offsets >= first) & (offsets < end)
            rows, offsets = rows.filter(pa.array(inside)), offsets[inside]
        if len(offsets):
            yield Part(self.segment, rows, offsets)


def _is_misplaced(batches: pa.RecordBatch, order: OffsetOrder | None) -> NDArray[np.bool_]:
    """Which of the batches have a base offset that can't be right."""
    first, last = (batches.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    return np.zeros(len(first), np.bool_) if order is None else order.misplaced(first, last)


def _troubles(source: ByteSource, misplaced: pa.RecordBatch) -> list[Trouble]:
    """What is set aside for batches that are sound but for their place."""
    found = misplaced.select(["position", "size_bytes", "base_offset"]).to_pylist()
    return [_trouble(source, row["position"], row["size_bytes"], row["base_offset"]) for row in found]


def _trouble(source: ByteSource, position: int, size_bytes: int, offset: int) -> Trouble:
    """A batch that is sound but for its place."""
    beginning = source.read(position, min(size_bytes, KEPT_BYTES)).tobytes()
    return Trouble(position, size_bytes, offset, *MISPLACED, str(offset), beginning)
