"""The steps by which messages go from their bytes straight to JSON, and what each writes for a value.

Put here the cells of a step and those that write one value; they are compiled into `parsers.dump.json_interpreter`,
which has the steps that jump. They are laid out by `parsers.dump.json_templates`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.json_bytes import copy_lead, write_null, write_number
from parsers.dump.json_letters import write_letters, write_plain, write_uuid
from parsers.inlined import inlined
from parsers.messages.primitives import int8_at, int16_at, int32_at, int64_at
from parsers.words import byte_at, little64

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

    Stretch = tuple[ByteArray, int, int]
    """A buffer, and where a stretch of it starts and ends."""

    Steps = tuple[Int64Array, ByteArray, Int64Array]
    """Steps, the texts that stand before their values, and registers."""


class Op(IntEnum):
    """What a step writes behind its lead."""

    INT8 = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    BOOL = 4
    UUID = 5
    STRING = 6
    COMPACT_STRING = 7
    CONSUMER = 8  # a string that must be the one protocol type whose members are opened
    BYTES = 9
    TAGS = 10  # the tagged fields at the end: none, or one uuid
    ARRAY = 11  # with the steps of an element up to NEXT
    NEXT = 12
    BLOB = 13  # bytes that are opened; followed by a step for each version, which says where its steps are
    BLOB_END = 14
    END = 15


class Cell(IntEnum):
    """Cells of a step."""

    OP = 0
    LEAD_START = 1
    LEAD_SIZE = 2
    WIDTH = 3  # the least bytes of the value
    IS_NULLABLE = 4
    TAG = 5  # number of the uuid's tag, or NO_TAG
    JUMP = 6  # number of a step: behind NEXT, of the first step of an element, of a version of a blob
    REGISTER = 7  # of an array


LONGEST_VALUE_BYTES: Final = 26
"""The most that a step writes behind its lead, the bytes of a string left out."""

NO_STEP: Final = -1
NO_TAG: Final = 1 << 8
"""Stands for the number of a tag where none is known; no byte is like it."""

UNSURE: Final = -1
"""Stands for where a text ends that nobody is sure of; below it is nothing."""

_TAG_BYTES: Final = 3
"""Before a tagged uuid: how many tags there are, its number, and its size."""
_UUID_BYTES: Final = 16
_MORE: Final = 0x80
_CONSUMER: Final = np.uint64(int.from_bytes(b"consumer", "little"))
_WORD_BYTES: Final = 8
_FALSE: Final = np.frombuffer(b"false".ljust(16), np.uint8)
_TRUE: Final = np.frombuffer(b"true".ljust(16), np.uint8)


@inlined
def _write_integer(data: ByteArray, at: int, buffer: ByteArray, place: int, op: int) -> int:
    if op == Op.INT64:
        return write_number(data, at, int64_at(buffer, place))
    if op == Op.INT32:
        return write_number(data, at, np.int64(int32_at(buffer, place)))
    if op == Op.INT16:
        return write_number(data, at, np.int64(int16_at(buffer, place)))
    if op == Op.INT8:
        return write_number(data, at, np.int64(int8_at(buffer, place)))
    if int8_at(buffer, place):
        return copy_lead(data, at, _TRUE, 0, 4)
    return copy_lead(data, at, _FALSE, 0, 5)


@inlined
def _length(buffer: ByteArray, place: int, step: Int64Array) -> int:
    """Read the length of a string, -1 for null; less where it is not sure, as where it takes more than one byte."""
    if step[Cell.OP] != Op.COMPACT_STRING:
        length = int16_at(buffer, place)
        return length if length >= -step[Cell.IS_NULLABLE] else UNSURE - 1
    length = np.int64(byte_at(buffer, place)) - 1
    return length if -step[Cell.IS_NULLABLE] <= length < _MORE - 1 else UNSURE - 1


@inlined
def _string_step(data: ByteArray, at: int, span: Stretch, step: Int64Array) -> tuple[int, int]:
    """Write a string or null; give where it ends here and there, here below zero where it is not sure."""
    buffer, place, end = span
    length, start = _length(buffer, place, step), place + step[Cell.WIDTH]
    if length < UNSURE or length > end - start:
        return np.int64(UNSURE), place
    if length < 0:
        return write_null(data, at), start
    if step[Cell.OP] == Op.CONSUMER and (length != _WORD_BYTES or little64(buffer, start) != _CONSUMER):
        return np.int64(UNSURE), place
    return write_plain(data, at, buffer, start, length), start + length


@inlined
def _bytes_step(data: ByteArray, at: int, span: Stretch, step: Int64Array) -> tuple[int, int]:
    """Write bytes or null."""
    buffer, place, end = span
    length, start = int32_at(buffer, place), place + step[Cell.WIDTH]
    if length < -step[Cell.IS_NULLABLE] or length > end - start:
        return np.int64(UNSURE), place
    if length < 0:
        return write_null(data, at), start
    return write_letters(data, at, buffer, start, start + length), start + length


@inlined
def tags_step(data: ByteArray, at: int, span: Stretch, program: Steps, number: int) -> tuple[int, int]:
    """Write the tagged uuid if it is there and not zero; any other tagged field is not sure."""
    (buffer, place, end), step = span, program[0][number]
    if int8_at(buffer, place) == 0:
        return at, place + 1
    start = place + _TAG_BYTES
    if end - start < _UUID_BYTES or int8_at(buffer, place) != 1 or int8_at(buffer, place + 1) != step[Cell.TAG]:
        return np.int64(UNSURE), place
    if int8_at(buffer, place + 2) != _UUID_BYTES:
        return np.int64(UNSURE), place
    if little64(buffer, start) | little64(buffer, start + _WORD_BYTES):
        at = write_uuid(data, write_lead(data, at, program, number), buffer, start)
    return at, start + _UUID_BYTES


@inlined
def write_lead(data: ByteArray, at: int, program: Steps, number: int) -> int:
    """Write what stands before the value of a step; give where it ends."""
    step = program[0][number]
    return copy_lead(data, at, program[1], step[Cell.LEAD_START], step[Cell.LEAD_SIZE])


@inlined
def value_step(data: ByteArray, at: int, span: Stretch, step: Int64Array) -> tuple[int, int]:
    """Write one value; give where it ends here and there, here below zero where it is not sure."""
    op, (buffer, place, _end) = step[Cell.OP], span
    if op >= Op.STRING:
        return _bytes_step(data, at, span, step) if op == Op.BYTES else _string_step(data, at, span, step)
    if op == Op.UUID:
        return write_uuid(data, at, buffer, place), place + step[Cell.WIDTH]
    return _write_integer(data, at, buffer, place, op), place + step[Cell.WIDTH]
