"""The loop that writes the lines of offset commits, by the steps that `parsers.dump.commit_lines.program` lays out.

Only loops over bytes belong here. They write what they are sure of and leave all else alone: a message that does not
fit its steps to the last byte, and text that needs an escape, are for `parsers.dump.json_lines`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.commit_lines.characters import (
    UNSURE,
    UUID_BYTES,
    WORD_BYTES,
    copy_words,
    write_null,
    write_number,
    write_text,
    write_uuid,
)
from parsers.inlined import inlined, without_refcounts
from parsers.log.records import Span
from parsers.messages.primitives import int8_at, int16_at, int32_at, int64_at
from parsers.words import byte_at, little64

if TYPE_CHECKING:
    import numpy.typing as npt

    from parsers.words import ByteArray, Int64Array

    Mask = npt.NDArray[np.bool_]

    Stretch = tuple[ByteArray, int, int]
    """A buffer, and where a stretch of it starts and ends."""

    Steps = tuple[Int64Array, ByteArray]
    """Steps, and the texts that stand before their values."""

    Program = tuple[Steps, Int64Array, Int64Array]
    """Steps; the first step of keys by their type, and of values by their version."""

    Heads = tuple[ByteArray, Int64Array]
    """What begins the lines of a batch, for each batch, and its edges."""


class Op(IntEnum):
    """What a step writes behind its lead."""

    INT32 = 0
    INT64 = 1
    STRING = 2
    COMPACT_STRING = 3
    TAGGED_UUID = 4  # the tagged fields at the end: none, or one uuid
    END = 5


class Cell(IntEnum):
    """Cells of a step."""

    OP = 0
    LEAD_START = 1
    LEAD_SIZE = 2
    WIDTH = 3  # the least bytes of the value
    TAG = 4  # number of the uuid's tag


class Lead(IntEnum):
    """The first steps, which are leads of what every record has."""

    OFFSET = 0
    TIMESTAMP = 1
    KEY_SIZE = 2
    VALUE_SIZE = 3
    NO_VALUE = 4
    LINE_END = 5


NO_STEP: Final = -1
_HEAD_BYTES: Final = 2
_TAG_BYTES: Final = 3
"""Before a tagged uuid: how many tags there are, its number, and its size."""
_MORE: Final = 0x80


@inlined
def _write_lead(data: ByteArray, at: int, steps: Steps, number: int) -> int:
    step = steps[0][number]
    return copy_words(data, at, steps[1], step[Cell.LEAD_START], step[Cell.LEAD_SIZE])


@inlined
def _string_step(data: ByteArray, at: int, span: Stretch, step: Int64Array) -> tuple[int, int]:
    """Write a string; give where it ends here and there, here `UNSURE` where its length takes more than one byte."""
    (buffer, place, end), start = span, span[1] + step[Cell.WIDTH]
    length = np.int64(byte_at(buffer, place)) - 1
    if step[Cell.OP] == Op.STRING:
        length = np.int64(int16_at(buffer, place))
    elif length >= _MORE - 1:
        length = np.int64(UNSURE)
    if length < 0 or length > end - start:
        return np.int64(UNSURE), place
    return write_text(data, at, buffer, start, length), start + length


@inlined
def _uuid_step(data: ByteArray, at: int, span: Stretch, steps: Steps, number: int) -> tuple[int, int]:
    """Write the tagged uuid if it is there and not zero; any other tagged field is not sure."""
    (buffer, place, end), step = span, steps[0][number]
    if int8_at(buffer, place) == 0:
        return at, place + 1
    start = place + _TAG_BYTES
    if end - start < UUID_BYTES or int8_at(buffer, place) != 1 or int8_at(buffer, place + 1) != step[Cell.TAG]:
        return np.int64(UNSURE), place
    if int8_at(buffer, place + 2) != UUID_BYTES:
        return np.int64(UNSURE), place
    if little64(buffer, start) | little64(buffer, start + WORD_BYTES):
        at = write_uuid(data, _write_lead(data, at, steps, number), buffer, start)
    return at, start + UUID_BYTES


@inlined
def _value_step(data: ByteArray, at: int, span: Stretch, steps: Steps, number: int) -> tuple[int, int]:
    """Write one value behind its lead; give where it ends here and there."""
    (buffer, place, _end), step = span, steps[0][number]
    if step[Cell.OP] == Op.TAGGED_UUID:
        return _uuid_step(data, at, span, steps, number)
    at = _write_lead(data, at, steps, number)
    if step[Cell.OP] == Op.INT64:
        return write_number(data, at, int64_at(buffer, place)), place + step[Cell.WIDTH]
    if step[Cell.OP] == Op.INT32:
        return write_number(data, at, np.int64(int32_at(buffer, place))), place + step[Cell.WIDTH]
    return _string_step(data, at, span, step)


@without_refcounts
def _write_message(data: ByteArray, at: int, span: Stretch, entries: Int64Array, steps: Steps) -> int:
    """Write a key or value by the int16 that it begins with; give where it ends, `UNSURE` if it is not sure."""
    buffer, place, end = span
    if end - place < _HEAD_BYTES:
        return UNSURE
    head = int16_at(buffer, place)
    if head < 0 or head >= entries.size or entries[head] == NO_STEP:
        return UNSURE
    number, place = entries[head], place + _HEAD_BYTES
    while at >= 0 and steps[0][number, Cell.OP] != Op.END:
        if end - place < steps[0][number, Cell.WIDTH]:
            return UNSURE
        at, place = _value_step(data, at, (buffer, place, end), steps, number)
        number += 1
    return _write_lead(data, at, steps, number) if at >= 0 and place == end else UNSURE


@inlined
def _write_number_pair(data: ByteArray, at: int, steps: Steps, lead: int, value: int) -> int:
    """Write a number behind its name, null where it is below zero."""
    at = _write_lead(data, at, steps, lead)
    return write_number(data, at, value) if value >= 0 else write_null(data, at)


@inlined
def _write_line(data: ByteArray, at: int, source: tuple[ByteArray, Int64Array], program: Program, row: int) -> int:
    """Write a line behind its head; give where it ends, `UNSURE` if it is not sure."""
    (buffer, spans), (steps, of_keys, of_values) = source, program
    key, value = (
        (buffer, spans[Span.KEY_START, row], spans[Span.KEY_END, row]),
        (buffer, spans[Span.VALUE_START, row], spans[Span.VALUE_END, row]),
    )
    at = write_number(data, _write_lead(data, at, steps, Lead.OFFSET), spans[Span.OFFSET, row])
    at = _write_number_pair(data, at, steps, Lead.TIMESTAMP, spans[Span.TIMESTAMP_MS, row])
    at = _write_number_pair(data, at, steps, Lead.KEY_SIZE, key[2] - key[1])
    at = _write_number_pair(data, at, steps, Lead.VALUE_SIZE, value[2] - value[1] if value[1] >= 0 else UNSURE)
    at = _write_message(data, at, key, of_keys, steps) if key[1] >= 0 else UNSURE
    if at >= 0 and value[1] < 0:
        at = _write_lead(data, at, steps, Lead.NO_VALUE)
    elif at >= 0:
        at = _write_message(data, at, value, of_values, steps)
    return _write_lead(data, at, steps, Lead.LINE_END) if at >= 0 else UNSURE


@without_refcounts
def write_lines(
    data: ByteArray,
    heads: Heads,
    source: tuple[ByteArray, Int64Array],
    program: Program,
    rows: tuple[Mask, Int64Array],
) -> None:
    """Write the lines of the wanted rows one after the other, and where each starts and the last one ends.

    A row that is not wanted, or not sure, has a line of no bytes.
    """
    (head_bytes, head_edges), (is_wanted, starts) = heads, rows
    at = np.int64(0)
    for row in range(is_wanted.size):
        starts[row] = at
        if is_wanted[row]:
            batch = source[1][Span.BATCH, row]
            start = head_edges[batch]
            behind = copy_words(data, at, head_bytes, start, head_edges[batch + 1] - start)
            at = max(at, _write_line(data, behind, source, program, row))
    starts[is_wanted.size] = at
