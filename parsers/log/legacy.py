"""Entries of magic 0 and 1: one record each, or a compressed wrapper with entries inside.

Only the framing of these entries and their offset rules belong here; today's records are in `parsers.log.records`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.compiled import compiled
from parsers.layouts import batch_header as layout
from parsers.log.batches import LARGEST_OFFSET, batch_bytes, is_sound
from parsers.log.records import TROUBLES_PER_BATCH, Body, Fault, Span, note
from parsers.words import ByteArray, Int64Array, big32, big64

SMALLEST_ENTRY_BYTES: Final = layout.SMALLEST_LENGTH[0] + layout.LENGTH_END

ENTRY_FAULTS: Final = (
    ("entry length", "an entry of magic 0 or 1 that ends at or before byte {} of the wrapper", "size {}"),
    ("entry fields", "a key and a value that fill the entry's {} bytes", "lengths that do not"),
    ("entry checksum", "the checksum of its {} bytes", "another one"),
    ("nested wrapper", "an entry that is not compressed", "codec {}"),
    ("entry offset", "offsets that ascend, from 0 on", "{} entries with others"),
)
_LENGTH, _FIELDS, _CHECKSUM, _NESTED, _OFFSET = range(len(ENTRY_FAULTS))

_MAGIC_AT: Final = layout.MAGIC_AT
_ATTRIBUTES_AT: Final = layout.MAGIC_AT + 1
_TIMESTAMP_AT: Final = layout.MAGIC_AT + 2
_KEY_AT: Final = tuple(layout.KEY_AT[magic] for magic in (0, 1))
_CODEC_BITS: Final = layout.CODEC_BITS
_SPAN_ROWS: Final = len(Span)
_FAULT_COLUMNS: Final = len(Fault)
_NEWEST_LEGACY_MAGIC: Final = 1


@compiled
def entry_spans(buffer: ByteArray, bodies: Int64Array, inner: bool) -> tuple[Int64Array, Int64Array]:  # noqa: FBT001
    """Find the records in stretches of entries: a table of `Span` and the rows of `Fault`.

    Each body is one entry of the log, wrappers taken for records too; or, when `inner`, what a wrapper holds.
    """
    capacity = 1
    for body in bodies:
        capacity += max(0, body[Body.END] - body[Body.START]) // SMALLEST_ENTRY_BYTES
    spans = np.empty((_SPAN_ROWS, capacity), np.int64)
    faults = np.empty((len(bodies) * (TROUBLES_PER_BATCH + 2), _FAULT_COLUMNS), np.int64)
    at, fault = 0, 0
    for batch in range(len(bodies)):
        first = at
        at, fault, last_inner = _read_entries(buffer, bodies, batch, (spans, faults, inner), (at, fault))
        if inner:
            _place(spans[:, first:at], bodies[batch], last_inner)
            before, at = at, _keep_ascending(spans, first, at)
            if before != at:
                place = (batch, bodies[batch, Body.START], bodies[batch, Body.END])
                fault = note(faults, fault, place, _OFFSET, (0, before - at))
    return spans[:, :at], faults[:fault]


@compiled
def _read_entries(
    buffer: ByteArray,
    bodies: Int64Array,
    batch: int,
    tables: tuple[Int64Array, Int64Array, bool],
    done: tuple[int, int],
) -> tuple[int, int, int]:
    """Read the entries of one body; give how many spans and faults there are now, and the last entry's offset."""
    (spans, faults, inner), (at, fault), body = tables, done, bodies[batch]
    position, end, first_fault, last = body[Body.START], body[Body.END], fault, 0
    while position < end:
        size = batch_bytes(buffer, position, end)
        broken = size <= 0 or size > end - position or buffer[position + _MAGIC_AT] > _NEWEST_LEGACY_MAGIC
        if broken or fault - first_fault == TROUBLES_PER_BATCH:
            place = (batch, position, end)
            return at, note(faults, fault, place, _LENGTH, (end - body[Body.START], size)), last
        last = big64(buffer, position)
        kind = _read_entry(buffer, position, size, spans, at)
        if kind < 0 and inner:
            kind = _inner_fault(buffer, position, size)
        if kind >= 0:
            codec = buffer[position + _ATTRIBUTES_AT] & _CODEC_BITS
            fault = note(faults, fault, (batch, position, position + size), kind, (size, codec))
        else:
            spans[Span.BATCH, at] = batch
            at += 1
        position += size
    return at, fault, last


@compiled
def _read_entry(buffer: ByteArray, position: int, size: int, spans: Int64Array, at: int) -> int:
    """Read one entry into column `at`; give the kind of fault, or -1 when it is sound."""
    magic = buffer[position + _MAGIC_AT]
    field, end = position + _KEY_AT[magic], position + size
    for start_row, end_row in ((Span.KEY_START, Span.KEY_END), (Span.VALUE_START, Span.VALUE_END)):
        length = big32(buffer, field) if field + 4 <= end else -2
        if length < -1 or length > end - field - 4:
            return _FIELDS
        spans[start_row, at] = field + 4 if length >= 0 else -1
        spans[end_row, at] = field + 4 + length if length >= 0 else -1
        field += 4 + max(length, 0)
    if field != end:
        return _FIELDS
    spans[Span.OFFSET, at] = big64(buffer, position)
    spans[Span.TIMESTAMP_MS, at] = big64(buffer, position + _TIMESTAMP_AT) if magic else -1
    spans[Span.HEADER_COUNT, at] = spans[Span.HEADERS_START, at] = 0
    return -1


@compiled
def _inner_fault(buffer: ByteArray, position: int, size: int) -> int:
    """Check an entry inside a wrapper; those of the log itself were checked with the batches."""
    if not is_sound(buffer, position, position + size):
        return _CHECKSUM
    if buffer[position + _ATTRIBUTES_AT] & _CODEC_BITS:
        return _NESTED
    return -1


@compiled
def _place(spans: Int64Array, wrapper: Int64Array, last_inner: int) -> None:
    """Turn the inner offsets of a magic 1 wrapper absolute, and give its time to the records when the broker set it.

    A wrapper at offset 0 was written by clients that left absolute offsets inside.
    """
    if wrapper[Body.MAGIC] and wrapper[Body.BASE_OFFSET]:
        spans[Span.OFFSET] += wrapper[Body.BASE_OFFSET] - last_inner
    if wrapper[Body.FIXED_TIMESTAMP]:
        spans[Span.TIMESTAMP_MS] = wrapper[Body.MAX_TIMESTAMP_MS]


@compiled
def _keep_ascending(spans: Int64Array, first: int, end: int) -> int:
    """Drop the entries of a wrapper whose offset is not above those before it; give where the others end."""
    at, previous = first, -1
    for entry in range(first, end):
        offset = spans[Span.OFFSET, entry]
        if previous < offset <= LARGEST_OFFSET:
            spans[:, at] = spans[:, entry]
            at, previous = at + 1, offset
    return at
