"""Records of magic 2 batches: where key and value of each lie in the buffer, its offset and its timestamp.

Only the framing of a record belongs here; what stands in keys and values belongs to the message layouts, the older
formats to `parsers.log.legacy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from parsers.inlined import inlined, without_refcounts
from parsers.spans import frozen
from parsers.words import ByteArray, Int64Array, byte_at

SMALLEST_RECORD_BYTES: Final = 7
_SMALLEST_HEADER_BYTES: Final = 2
_VARINT_BITS: Final = 35
_VARLONG_BITS: Final = 70
_MORE: Final = np.uint64(0x80)
_SEVEN_BITS: Final = np.uint64(0x7F)
_ONE: Final = np.uint64(1)
TROUBLES_PER_BATCH: Final = 16


class Body(IntEnum):
    """Rows of the table of bodies that `record_spans` reads: one column per batch."""

    START = 0
    END = 1
    RECORD_COUNT = 2
    BASE_OFFSET = 3
    LAST_OFFSET_DELTA = 4
    BASE_TIMESTAMP_MS = 5
    FIXED_TIMESTAMP = 6  # 1: every record has MAX_TIMESTAMP_MS
    MAX_TIMESTAMP_MS = 7
    MAGIC = 8


class Span(IntEnum):
    """Rows of the table of spans: one column per record."""

    OFFSET = 0
    TIMESTAMP_MS = 1
    BATCH = 2
    KEY_START = 3
    KEY_END = 4
    VALUE_START = 5
    VALUE_END = 6
    HEADER_COUNT = 7
    HEADERS_START = 8


class Fault(IntEnum):
    """Rows of the table of faults: one column per stretch that could not be read."""

    BATCH = 0
    START = 1
    END = 2
    KIND = 3
    EXPECTED = 4
    ACTUAL = 5


# Kind of fault: reason, what was expected, what was found; {} takes the number of that row.
FAULTS: Final = (
    ("record length", "a record that ends at or before byte {} of the body", "length {}"),
    ("record fields", "fields that fill the record's {} bytes", "a field that does not fit, or bytes left over"),
    ("record offset", "an offset delta above the one before, {} at most", "offset delta {}"),
    ("record count", "{} records that fill the batch", "{} records"),
)
_LENGTH, _FIELDS, _OFFSET, _COUNT = range(len(FAULTS))


@dataclass(frozen=True)
class Records:
    """Records of a slice, in log order: spans over `buffer`, which holds inflated bodies behind the file's bytes.

    A null key or value has -1 as start and end; a record without a timestamp has -1. `batch` counts the slice's
    batches; records of control batches are included.
    """

    buffer: ByteArray
    spans: Int64Array

    def __len__(self) -> int:
        """Give the number of records."""
        return int(self.spans.shape[1])

    def _row(self, row: Span) -> Int64Array:
        column: Int64Array = self.spans[row]
        return column

    @property
    def offset(self) -> Int64Array:
        """Offset of each record in its log."""
        return self._row(Span.OFFSET)

    @property
    def timestamp_ms(self) -> Int64Array:
        """Timestamp of each record; -1 where it has none."""
        return self._row(Span.TIMESTAMP_MS)

    @property
    def batch(self) -> Int64Array:
        """Index of the batch that carried each record."""
        return self._row(Span.BATCH)

    @property
    def key_start(self) -> Int64Array:
        """Where each key begins in the buffer; -1 for a null key."""
        return self._row(Span.KEY_START)

    @property
    def key_end(self) -> Int64Array:
        """Where each key ends in the buffer; -1 for a null key."""
        return self._row(Span.KEY_END)

    @property
    def value_start(self) -> Int64Array:
        """Where each value begins in the buffer; -1 for a null value."""
        return self._row(Span.VALUE_START)

    @property
    def value_end(self) -> Int64Array:
        """Where each value ends in the buffer; -1 for a null value."""
        return self._row(Span.VALUE_END)

    @property
    def header_count(self) -> Int64Array:
        """Headers of each record."""
        return self._row(Span.HEADER_COUNT)

    @property
    def headers_start(self) -> Int64Array:
        """Where the headers of each record begin in the buffer; means nothing where there are none."""
        return self._row(Span.HEADERS_START)


class _Tables(NamedTuple):
    """What is filled: spans of records and rows of faults."""

    spans: Int64Array
    faults: Int64Array


@inlined
def _from_zigzag(raw: np.uint64) -> int:
    return int(np.int64(raw >> _ONE) ^ -np.int64(raw & _ONE))


@inlined
def varint(buffer: ByteArray, position: int, end: int, bits: int) -> tuple[int, int]:
    """Read a zigzag varint of up to `bits` bits; give it and where it ends.

    Where it ends is -1 when there is none, and a position of -1 has none: a chain of reads is checked at its end.
    """
    if position < 0 or position >= end:
        return np.int64(0), np.int64(-1)
    raw: np.uint64 = byte_at(buffer, position)
    if raw < _MORE:
        return _from_zigzag(raw), np.int64(position + 1)
    return _long_varint(buffer, position, end, bits)


@without_refcounts
def _long_varint(buffer: ByteArray, position: int, end: int, bits: int) -> tuple[int, int]:
    raw, shift = np.uint64(0), 0
    while position < end and shift < bits:
        byte = byte_at(buffer, position)
        raw |= (byte & _SEVEN_BITS) << np.uint64(shift)
        position += 1
        if byte < _MORE:
            return _from_zigzag(raw), np.int64(position)
        shift += 7
    return np.int64(0), np.int64(-1)


@inlined
def _read_sized(buffer: ByteArray, position: int, end: int) -> tuple[int, int, int]:
    """Read a length and the bytes it announces: their start, their end, where to go on; -1 for null and for broken."""
    length, after = varint(buffer, position, end, _VARINT_BITS)
    if after < 0 or length < -1 or length > end - after:
        return np.int64(-1), np.int64(-1), np.int64(-1)
    if length < 0:
        return np.int64(-1), np.int64(-1), np.int64(after)
    return np.int64(after), np.int64(after + length), np.int64(after + length)


@without_refcounts
def _after_headers(buffer: ByteArray, position: int, end: int, count: int) -> int:
    """Step over `count` headers; give where they end, or -1."""
    if count < 0 or count > (end - position) // _SMALLEST_HEADER_BYTES:
        return -1
    for _ in range(count):
        key_start, _key_end, position = _read_sized(buffer, position, end)
        _start, _end, position = _read_sized(buffer, position, end)
        if position < 0 or key_start < 0:
            return -1
    return position


@inlined
def _read_record(buffer: ByteArray, position: int, end: int, spans: Int64Array, at: int) -> bool:
    """Read the record whose fields lie in buffer[position:end] into column `at`; say whether they fill it exactly."""
    if position >= end:
        return False
    time_delta, position = varint(buffer, position + 1, end, _VARLONG_BITS)
    offset_delta, position = varint(buffer, position, end, _VARINT_BITS)
    key_start, key_end, position = _read_sized(buffer, position, end)
    value_start, value_end, position = _read_sized(buffer, position, end)
    header_count, position = varint(buffer, position, end, _VARINT_BITS)
    spans[Span.TIMESTAMP_MS, at], spans[Span.OFFSET, at] = time_delta, offset_delta
    spans[Span.KEY_START, at], spans[Span.KEY_END, at] = key_start, key_end
    spans[Span.VALUE_START, at], spans[Span.VALUE_END, at] = value_start, value_end
    spans[Span.HEADER_COUNT, at], spans[Span.HEADERS_START, at] = header_count, position
    if position >= 0 and header_count:
        position = _after_headers(buffer, position, end, header_count)
    return bool(position == end)


@inlined
def _finish(spans: Int64Array, at: int, bodies: Int64Array, batch: int) -> None:
    """Turn the deltas of column `at` into the record's offset and timestamp."""
    spans[Span.OFFSET, at] += bodies[batch, Body.BASE_OFFSET]
    spans[Span.TIMESTAMP_MS, at] += bodies[batch, Body.BASE_TIMESTAMP_MS]
    if bodies[batch, Body.FIXED_TIMESTAMP]:
        spans[Span.TIMESTAMP_MS, at] = bodies[batch, Body.MAX_TIMESTAMP_MS]
    spans[Span.BATCH, at] = batch


@without_refcounts
def note(faults: Int64Array, at: int, place: tuple[int, int, int], kind: int, facts: tuple[int, int]) -> int:
    """Write one fault (batch, start, end; kind; expected, found) at row `at`; give the row after it."""
    faults[at, Fault.BATCH], faults[at, Fault.START], faults[at, Fault.END] = place
    faults[at, Fault.KIND] = kind
    faults[at, Fault.EXPECTED], faults[at, Fault.ACTUAL] = facts
    return at + 1


@without_refcounts
def _read_body(
    buffer: ByteArray, bodies: Int64Array, batch: int, tables: _Tables, done: tuple[int, int]
) -> tuple[int, int]:
    """Read the records of one batch; give how many spans and faults there are now."""
    (spans, faults), (at, fault), first_fault = tables, done, done[1]
    position, end = bodies[batch, Body.START], bodies[batch, Body.END]
    previous, read, last_delta = np.int64(-1), np.int64(0), bodies[batch, Body.LAST_OFFSET_DELTA]
    while read < bodies[batch, Body.RECORD_COUNT] and position < end:
        size, fields = varint(buffer, position, end, _VARINT_BITS)
        if fields < 0 or size < 0 or size > end - fields or fault - first_fault == TROUBLES_PER_BATCH:
            facts = (end - bodies[batch, Body.START], size)
            return at, note(faults, fault, (batch, position, end), _LENGTH, facts)
        sound = _read_record(buffer, fields, fields + size, spans, at)
        delta = spans[Span.OFFSET, at]
        if not sound:
            fault = note(faults, fault, (batch, position, fields + size), _FIELDS, (size, np.int64(0)))
        elif delta <= previous or delta > last_delta:
            fault = note(faults, fault, (batch, position, fields + size), _OFFSET, (last_delta, delta))
        else:
            _finish(spans, at, bodies, batch)
            at, previous = at + 1, delta
        position, read = fields + size, read + 1
    if read != bodies[batch, Body.RECORD_COUNT] or position != end:
        fault = note(faults, fault, (batch, position, end), _COUNT, (bodies[batch, Body.RECORD_COUNT], read))
    return at, fault


@without_refcounts
def _read_bodies(buffer: ByteArray, bodies: Int64Array, tables: _Tables) -> tuple[int, int]:
    at, fault = np.int64(0), np.int64(0)
    for batch in range(bodies.shape[0]):
        at, fault = _read_body(buffer, bodies, batch, tables, (at, fault))
    return at, fault


def record_spans(buffer: ByteArray, bodies: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Find the records in the bodies (one row of `Body` each): a table of `Span` and the rows of `Fault`.

    The tables are bounded by the bytes there are, whatever the headers announce.
    """
    most = np.minimum(
        bodies[:, Body.RECORD_COUNT], (bodies[:, Body.END] - bodies[:, Body.START]) // SMALLEST_RECORD_BYTES
    )
    spans = np.empty((len(Span), 1 + int(np.maximum(most, 0).sum())), np.int64)
    faults = np.empty((len(bodies) * (TROUBLES_PER_BATCH + 2), len(Fault)), np.int64)
    count, fault_count = _read_bodies(frozen(buffer), bodies, _Tables(spans, faults))
    return spans[:, :count], faults[:fault_count]
