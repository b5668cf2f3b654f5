"""A log directory as the log cleaner would have left it, or as it was at an earlier instant: real segment files.

Which records are kept is asked of `assets.transforms.compaction`; how batches without some of their records are
written belongs here. Only batches of magic 2 that are not compressed, as brokers write their offsets topic.
"""

from __future__ import annotations

import shutil
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from assets.transforms.compaction.cleaner import IS_EMPTY, CleanerPass, clean, log_of
from benchmarks.truth.recordings import OFFSETS_TOPIC
from parsers.log.crc import crc32c

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

_HEADER: Final = struct.Struct(">qiibIhiqqqhii")
_CHECKED_FROM: Final = 21
_LENGTH_FROM: Final = 12
_MAGIC: Final = 2
_CODEC: Final = 0x07
_HAS_HORIZON: Final = 0x40
_SEVEN_BITS: Final = 0x7F
FOREVER_MS: Final = 1 << 62
"""Later than anything."""
WAITING: Final = "*.deleted"
"""Files that a broker will delete within a minute: who copies a log later never sees them."""


@dataclass(frozen=True)
class Batch:
    """One batch of a segment file."""

    content: bytes
    base_offset: int
    leader_epoch: int
    attributes: int
    last_delta: int
    base_ms: int
    max_ms: int
    producer: tuple[int, int, int]
    """Id, epoch, and sequence of the first record."""

    @classmethod
    def at(cls, log: bytes, position: int) -> Batch:
        """The batch that begins at a position."""
        base_offset, length, epoch, magic, _, *rest = _HEADER.unpack_from(log, position)
        attributes, last_delta, base_ms, max_ms, *producer, _ = rest
        if magic != _MAGIC or attributes & _CODEC:
            raise ValueError(f"batch at offset {base_offset}: magic {magic}, codec {attributes & _CODEC}; only 2 and 0")
        content = log[position : position + _LENGTH_FROM + length]
        return cls(content, base_offset, epoch, attributes, last_delta, base_ms, max_ms, tuple(producer))

    def records(self) -> Iterator[tuple[int, int, bytes]]:
        """Of each record its offset, its timestamp, and its bytes behind these."""
        position = _HEADER.size
        while position < len(self.content):
            length, position = _varint(self.content, position)
            end = position + length
            elapsed_ms, start = _varint(self.content, position + 1)
            delta, rest = _varint(self.content, start)
            yield self.base_offset + delta, self.base_ms + elapsed_ms, self.content[rest:end]
            position = end

    def retain(self, retained: Retained) -> bytes:
        """The batch as the cleaner writes it: whole, with some of its records, empty, or not at all."""
        records = [record for record in self.records() if record[0] in retained.horizons]
        if not records:
            return (
                self._written(b"", self.max_ms, self.max_ms, 0, None) if self.last_offset in retained.empties else b""
            )
        horizon_ms = retained.horizons[records[-1][0]]
        base_ms = records[0][1] if horizon_ms is None else horizon_ms
        body = b"".join(self._record(offset, ms - base_ms, rest) for offset, ms, rest in records)
        return self._written(body, base_ms, max(ms for _, ms, _ in records), len(records), horizon_ms)

    @property
    def last_offset(self) -> int:
        """Its last offset, whether a record is left there or not."""
        return self.base_offset + self.last_delta

    def _record(self, offset: int, elapsed_ms: int, rest: bytes) -> bytes:
        content = b"\0" + _signed(elapsed_ms) + _signed(offset - self.base_offset) + rest
        return _signed(len(content)) + content

    def _written(self, body: bytes, base_ms: int, max_ms: int, count: int, horizon_ms: int | None) -> bytes:
        attributes = self.attributes | (0 if horizon_ms is None else _HAS_HORIZON)
        tail = (attributes, self.last_delta, base_ms, max_ms, *self.producer, count)
        length = _HEADER.size - _LENGTH_FROM + len(body)
        unchecked = _HEADER.pack(self.base_offset, length, self.leader_epoch, _MAGIC, 0, *tail) + body
        crc = int(crc32c(np.frombuffer(unchecked, np.uint8), _CHECKED_FROM, len(unchecked)))
        return _HEADER.pack(self.base_offset, length, self.leader_epoch, _MAGIC, crc, *tail) + body


@dataclass(frozen=True)
class Retained:
    """What the cleaner leaves of a partition of the offsets topic."""

    horizons: Mapping[int, int | None]
    """The offsets of records, with the delete horizon of their batch."""
    empties: frozenset[int]
    """The last offsets of batches that are kept without records."""
    active_from: int
    """Where the active segment begins, which is not cleaned."""


def retained_records(records: pa.Table, active_from: int, now_ms: int) -> Retained:
    """What a pass over all but the active segment leaves of the raw records of a partition."""
    log = clean(log_of(records), CleanerPass((0, active_from), now_ms)) if records.num_rows else log_of(records)
    rows = zip(*(log[name].to_pylist() for name in ("log_offset", "delete_horizon_ms", IS_EMPTY)), strict=True)
    horizons, empties = {}, set()
    for offset, horizon_ms, is_empty in rows:
        if is_empty:
            empties.add(offset)
        else:
            horizons[offset] = horizon_ms
    return Retained(horizons, frozenset(empties), active_from)


def batches(folder: Path) -> Iterator[Batch]:
    """All batches of a partition, in order."""
    for path in sorted(folder.glob("*.log")):
        log, position = path.read_bytes(), 0
        while position + _HEADER.size <= len(log):
            batch = Batch.at(log, position)
            yield batch
            position += len(batch.content)


def write_cleaned(source: Path, target: Path, retained: Retained, until_ms: int = FOREVER_MS) -> None:
    """Write what is left of a partition of the offsets topic, as far as it was written by an instant."""
    _prepare(source, target)
    known = [batch for batch in batches(source) if batch.max_ms <= until_ms]
    clean = b"".join(batch.retain(retained) for batch in known if batch.base_offset < retained.active_from)
    active = b"".join(batch.content for batch in known if batch.base_offset >= retained.active_from)
    (target / f"{0:020d}.log").write_bytes(clean if retained.active_from else active)
    if retained.active_from:
        (target / f"{retained.active_from:020d}.log").write_bytes(active)


def _prepare(source: Path, target: Path) -> None:
    """All but segments and their indexes, and what waits to be deleted."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.log", "*index", "*.snapshot", WAITING))


def write_until(source: Path, target: Path, until_ms: int) -> None:
    """Write a partition of a data topic as far as it was written by an instant; batches are taken as they are."""
    _prepare(source, target)
    for path in sorted(source.glob("*.log")):
        log = path.read_bytes()
        end = _end(log, until_ms)
        if end or not any(target.glob("*.log")):
            (target / path.name).write_bytes(log[:end])
        if end < len(log):
            break


def _end(log: bytes, until_ms: int) -> int:
    """Where the first batch begins that is younger than an instant."""
    position = 0
    while position + _HEADER.size <= len(log):
        fields = _HEADER.unpack_from(log, position)
        if fields[8] > until_ms:
            break
        position += _LENGTH_FROM + int(fields[1])
    return position


def copy_but(source: Path, target: Path, names: Iterable[str]) -> None:
    """Copy a log directory but for some files or partitions in it."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(f"{OFFSETS_TOPIC}-*", *names))


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A zigzag varint, and where it ends."""
    raw = shift = 0
    while True:
        byte = content[position]
        raw |= (byte & _SEVEN_BITS) << shift
        position += 1
        if byte <= _SEVEN_BITS:
            return raw >> 1 ^ -(raw & 1), position
        shift += 7


def _signed(number: int) -> bytes:
    """A zigzag varint."""
    rest, out = number << 1 ^ number >> 63, bytearray()
    while rest > _SEVEN_BITS:
        out.append(rest & _SEVEN_BITS | (_SEVEN_BITS + 1))
        rest >>= 7
    return bytes([*out, rest])
