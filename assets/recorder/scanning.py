"""A segment file of the recorder, walked to the end of its last whole and sound batch.

Put here what the recorder asks of batches that it has or gets. What a run reads from them is in `parsers.log`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.fixed import read_fixed
from parsers.layouts.batch_header import BATCH_HEADER, MAGIC_AT
from parsers.log.batches import HEADER_BYTES, batch_bytes, chain, last_offset, sound_chain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from parsers.words import ByteArray, Int64Array

CHUNK_BYTES: Final = 8 << 20
TORN_BYTES: Final = 1 << 20
"""What one append writes at most, if it is more than one batch."""


NEWEST_MAGIC: Final = 2


@dataclass(frozen=True, slots=True)
class Columns:
    """First and last offset, number of records and leader epoch of batches, a row each."""

    first: Int64Array
    last: Int64Array
    count: Int64Array
    epoch: Int64Array

    def since(self, row: int) -> Columns:
        """The rows from one on."""
        return Columns(self.first[row:], self.last[row:], self.count[row:], self.epoch[row:])


def columns(buffer: ByteArray, starts: Int64Array) -> Columns:
    """What the headers of batches say; of a format before magic 2 only the last offset is known."""
    if not np.any(buffer[starts + MAGIC_AT] < NEWEST_MAGIC):
        fields = read_fixed(buffer, starts, BATCH_HEADER)
        first = fields["base_offset"]
        return Columns(first, first + fields["last_offset_delta"], fields["record_count"], fields["leader_epoch"])
    last = np.array([last_offset(buffer, start) for start in starts], np.int64)
    return Columns(last, last, np.ones(len(last), np.int64), np.full(len(last), -1, np.int64))


@dataclass(frozen=True, slots=True)
class SoundEnd:
    """How far a segment file is sound: the end of its last whole batch, and where that batch begins."""

    end_position: int
    last_position: int | None
    size_bytes: int
    is_torn: bool
    """Whether what follows is a batch that was not written to its end, and not a damaged one."""


@dataclass(frozen=True, slots=True)
class LogCut:
    """Where two logs part: batches that reach the offset, or are of a later epoch, are in the one alone."""

    offset: int
    epoch: int | None = None


def scan(path: Path, cut: LogCut | None = None) -> SoundEnd:
    """Walk a segment, up to the first batch behind a cut if one is given."""
    return _scan(path, cut, sound_chain)


def scan_headers(path: Path, cut: LogCut | None = None) -> SoundEnd:
    """Walk a segment of which only headers are there: no checksum can be right."""
    return _scan(path, cut, chain)


def _scan(path: Path, cut: LogCut | None, chain_of: Callable[[ByteArray, int, int], Int64Array]) -> SoundEnd:
    position, last_position = 0, None
    with path.open("rb") as file:
        size_bytes = os.fstat(file.fileno()).st_size
        while position < size_bytes:
            buffer = _batches_at(file.fileno(), position, size_bytes)
            bounds = chain_of(buffer, len(buffer), len(buffer))
            taken = _count_before(buffer, bounds, cut)
            last_position = position + int(bounds[taken - 1]) if taken else last_position
            position += int(bounds[taken])
            if taken < len(bounds) - 1 or not taken:
                break
        tail = _read(file.fileno(), position, min(size_bytes - position, TORN_BYTES + 1))
    return SoundEnd(position, last_position, size_bytes, _is_torn(tail))


def header_at(path: Path, position: int) -> Columns:
    """What the header of the batch at a position says."""
    with path.open("rb") as file:
        return columns(_read(file.fileno(), position, HEADER_BYTES), np.zeros(1, np.int64))


def first_time_s(path: Path) -> float | None:
    """The largest timestamp of the first batch, in seconds; None of a file without one, or of an old format."""
    with path.open("rb") as file:
        buffer = _read(file.fileno(), 0, HEADER_BYTES)
    if len(buffer) < HEADER_BYTES or buffer[MAGIC_AT] < NEWEST_MAGIC:
        return None
    return float(read_fixed(buffer, np.zeros(1, np.int64), BATCH_HEADER)["max_timestamp_ms"][0]) / 1000


def _count_before(buffer: ByteArray, bounds: Int64Array, cut: LogCut | None) -> int:
    """How many of the batches lie before a cut."""
    if cut is None:
        return len(bounds) - 1
    headers = columns(buffer, bounds[:-1])
    is_behind = headers.last >= cut.offset
    if cut.epoch is not None:
        is_behind |= headers.epoch > cut.epoch
    return int(np.argmax(is_behind)) if is_behind.any() else len(is_behind)


def _batches_at(descriptor: int, position: int, size_bytes: int) -> ByteArray:
    """A chunk of the file; the whole first batch where that is larger."""
    buffer = _read(descriptor, position, CHUNK_BYTES)
    first = int(batch_bytes(buffer, 0, len(buffer)))
    if len(buffer) < first <= size_bytes - position:
        return _read(descriptor, position, first)
    return buffer


def _read(descriptor: int, position: int, length: int) -> ByteArray:
    return np.frombuffer(os.pread(descriptor, length, position), np.uint8)


def _is_torn(tail: ByteArray) -> bool:
    """Whether a tail is the beginning of a batch, or room that a file system had not filled before a loss of power."""
    if len(tail) > TORN_BYTES:
        return False
    size = int(batch_bytes(tail, 0, len(tail)))
    return not tail.any() or size < 0 or size > len(tail)
