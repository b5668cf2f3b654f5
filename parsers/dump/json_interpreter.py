"""Messages from their bytes straight to JSON: the loop that runs the steps of `parsers.dump.json_templates`.

Only loops over bytes belong here. They write what they are sure of and leave all else alone: a message that does not
fit its steps to the last byte, and text that would need an escape, are for the general way over columns.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.json_steps import NO_STEP, UNSURE, Cell, Op, tags_step, value_step, write_lead
from parsers.inlined import inlined, uncounted
from parsers.messages.primitives import int16_at, int32_at

if TYPE_CHECKING:
    from parsers.dump.json_steps import Steps, Stretch
    from parsers.words import ByteArray, Int64Array

    Edges = tuple[Int64Array, Int64Array, Int64Array, Int64Array]
    """Starts and ends of keys, starts and ends of values."""

    Program = tuple[Steps, Int64Array, Int64Array, tuple[int, int]]
    """Steps; the first step of keys by their type, and of values by the type of their key and their version; and what
    they write for a record at most: so many bytes, and so many for each of its bytes."""


class Text(IntEnum):
    """Rows of the table of texts: one column per record."""

    KEY_START = 0
    KEY_END = 1
    VALUE_START = 2
    VALUE_END = 3


LARGEST_RECORD_BYTES: Final = 1 << 16
"""A record with more is not sure: room for the most that it could take would be too much."""

ARRAY_REGISTERS: Final = 2
"""The first register of arrays."""

_OUTER_END: Final = 0
_OUTER_STEP: Final = 1
_HEAD_BYTES: Final = 2
_QUOTE: Final = 0x22
_COMMA: Final = 0x2C
_OPEN: Final = 0x5B
_CLOSE: Final = 0x5D


@inlined
def _array_step(data: ByteArray, at: int, span: Stretch, program: Steps, number: int) -> tuple[int, int, int]:
    """Begin an array: give where it ends here and there, and which step is next."""
    (buffer, place, end), step = span, program[0][number]
    count = int32_at(buffer, place)
    if count < 0 or count > end - place:
        return np.int64(UNSURE), place, number
    at = write_lead(data, at, program, number)
    data[at] = _OPEN
    program[2][step[Cell.REGISTER]] = count
    if count:
        return at + 1, place + step[Cell.WIDTH], number + 1
    data[at + 1] = _CLOSE
    return at + 2, place + step[Cell.WIDTH], step[Cell.JUMP]


@inlined
def _next_step(data: ByteArray, at: int, program: Steps, number: int) -> tuple[int, int]:
    """End an element: give where it ends, and which step is next."""
    step, registers = program[0][number], program[2]
    at = write_lead(data, at, program, number)
    registers[step[Cell.REGISTER]] -= 1
    is_more = registers[step[Cell.REGISTER]] > 0
    data[at] = _COMMA if is_more else _CLOSE
    return at + 1, step[Cell.JUMP] if is_more else number + 1


@inlined
def _blob_step(data: ByteArray, at: int, span: Stretch, program: Steps, number: int) -> tuple[int, int, int, int]:
    """Go into bytes by their version: give where they end here and there, which step is next, and where they end."""
    (buffer, place, end), (steps, _leads, registers) = span, program
    length, start = int32_at(buffer, place), place + 4
    behind = steps[number, Cell.JUMP]
    if length == 0:
        at = write_lead(data, at, program, number)
        data[at] = data[at + 1] = _QUOTE
        return at + 2, start, behind, end
    if length < _HEAD_BYTES or length > end - start:
        return np.int64(UNSURE), place, number, end
    version = int16_at(buffer, start)
    if version < 0 or version >= behind - number - 1:
        return np.int64(UNSURE), place, number, end
    registers[_OUTER_END], registers[_OUTER_STEP] = end, behind
    at = write_lead(data, at, program, number)
    return at, start + _HEAD_BYTES, steps[number + 1 + version, Cell.JUMP], start + length


@uncounted
def _control_step(data: ByteArray, at: int, span: Stretch, program: Steps, number: int) -> tuple[int, int, int, int]:
    """Take a step that is no value: give where it ends here and there, which step is next, and where the bytes end."""
    (_buffer, place, end), (steps, _leads, registers) = span, program
    op = steps[number, Cell.OP]
    if op == Op.TAGS:
        at, place = tags_step(data, at, span, program, number)
        return at, place, number + 1, end
    if op == Op.ARRAY:
        at, place, number = _array_step(data, at, span, program, number)
    elif op == Op.NEXT:
        at, number = _next_step(data, at, program, number)
    elif op == Op.BLOB:
        return _blob_step(data, at, span, program, number)
    else:
        at = write_lead(data, at, program, number) if place == end else np.int64(UNSURE)
        number, end = registers[_OUTER_STEP], registers[_OUTER_END]
    return at, place, number, end


@uncounted
def _write_message(data: ByteArray, at: int, span: Stretch, program: Steps, number: int) -> int:
    """Write the message in a span by the steps from a number on; give where it ends, below zero if it is not sure."""
    (buffer, place, end), steps = span, program[0]
    while at >= 0 and steps[number, Cell.OP] != Op.END:
        if end - place < steps[number, Cell.WIDTH]:
            return UNSURE
        if steps[number, Cell.OP] < Op.TAGS:
            at = write_lead(data, at, program, number)
            at, place = value_step(data, at, (buffer, place, end), steps[number])
            number += 1
        else:
            at, place, number, end = _control_step(data, at, (buffer, place, end), program, number)
    return write_lead(data, at, program, number) if at >= 0 and place == end else UNSURE


@inlined
def _write_part(data: ByteArray, at: int, span: Stretch, entries: Int64Array, steps: Steps) -> int:
    """Write a key or value by the int16 that it begins with; give where it ends, below zero if it is not sure."""
    buffer, start, end = span
    if start < 0 or end - start < _HEAD_BYTES:
        return UNSURE
    head = int16_at(buffer, start)
    if head < 0 or head >= entries.size or entries[head] == NO_STEP:
        return UNSURE
    return _write_message(data, at, (buffer, start + _HEAD_BYTES, end), steps, entries[head])


@uncounted
def write_records(
    data: ByteArray, buffer: ByteArray, edges: Edges, program: Program, done: tuple[Int64Array, int, int]
) -> tuple[int, int]:
    """Write key and value of records, and where they stand, from a row and a place on.

    Give the row that `data` has no more room for, and the place. The key of a record that is not sure starts below
    zero.
    """
    (key_starts, key_ends, value_starts, value_ends), (steps, of_keys, of_values, most_bytes) = edges, program
    texts, row, at = done
    while row < key_starts.size:
        key, value = (buffer, key_starts[row], key_ends[row]), (buffer, value_starts[row], value_ends[row])
        size, middle, end = key[2] - key[1] + value[2] - value[1], np.int64(UNSURE), np.int64(UNSURE)
        if size <= LARGEST_RECORD_BYTES:
            if data.size - at < most_bytes[0] + most_bytes[1] * size:
                break
            middle = end = _write_part(data, at, key, of_keys, steps)
        if middle >= 0 and value[1] >= 0:
            end = _write_part(data, middle, value, of_values[int16_at(buffer, key[1])], steps)
        texts[Text.KEY_START, row], texts[Text.KEY_END, row] = (at if end >= 0 else UNSURE), middle
        texts[Text.VALUE_START, row], texts[Text.VALUE_END, row] = (middle if value[1] >= 0 else UNSURE), end
        at, row = max(at, end), row + 1
    return row, at
