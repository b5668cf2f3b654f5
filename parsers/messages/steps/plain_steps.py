"""The steps that read one value: a number, a uuid, a text or bytes, and the lengths before them.

Put here what each plain step of a program does; they are compiled into the loop of
`parsers.messages.steps.interpreter`, which has the steps that jump. No step reads at or behind its limit, whatever the
bytes say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.inlined import inlined
from parsers.messages.primitives import CUT_SHORT, int8_at, int16_at, int32_at, int64_at, is_utf8, uvarint_at
from parsers.messages.reasons import Reason
from parsers.messages.steps.program import LEVEL, NULLABLE, PREFIX, SIDE, SIZE, SLOT, Step
from parsers.messages.steps.tree import ABSENT
from parsers.spans import LENGTH_BITS

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

_NEGATIVE_LENGTH: Final = -int(Reason.NEGATIVE_LENGTH)
_UNEXPECTED_NULL: Final = -int(Reason.UNEXPECTED_NULL)
_NOT_UTF8: Final = -int(Reason.NOT_UTF8)
LENGTH_PAST_END: Final = -int(Reason.LENGTH_PAST_END)


@inlined
def read(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    """Read the value of a step into its slot: give the position after it or the trouble below zero."""
    code = memory[step]
    if code <= Step.UINT16:
        return _read_integer(buffer, memory, step, at, limit)
    if code == Step.UUID:
        return _read_uuid(memory, step, at, limit)
    if code == Step.UVARINT:
        return _read_uvarint(buffer, memory, step, at, limit)
    return _read_span(buffer, memory, step, at, limit)


@inlined
def _read_integer(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    code, width = memory[step], memory[step + SIZE]
    if limit - at < width:
        return CUT_SHORT
    if code == Step.INT64:
        put(memory, step, int64_at(buffer, at))
    elif code == Step.INT32:
        put(memory, step, int32_at(buffer, at))
    elif code == Step.INT8:
        put(memory, step, int8_at(buffer, at))
    else:
        put(memory, step, int16_at(buffer, at) & (0xFFFF if code == Step.UINT16 else -1))
    return int(at + width)


@inlined
def put(memory: Int64Array, step: int, value: int) -> None:
    """Write a value into the next free row of its level, and that it is there if the field says so on the side."""
    level = memory[step + LEVEL]
    if memory[level] < memory[level + 1]:
        memory[memory[step + SLOT] + memory[level]] = value
        if memory[step + SIDE] != ABSENT:
            memory[memory[step + SIDE] + memory[level]] = 1


@inlined
def _read_uvarint(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    value, after = uvarint_at(buffer, at, limit)
    if after >= 0:
        put(memory, step, value)
    return after


@inlined
def _read_uuid(memory: Int64Array, step: int, at: int, limit: int) -> int:
    if limit - at < memory[step + SIZE]:
        return CUT_SHORT
    put(memory, step, (at << LENGTH_BITS) | memory[step + SIZE])
    return int(at + memory[step + SIZE])


@inlined
def _read_span(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    length, start = length_at(buffer, memory, step, at, limit)
    if start < 0:
        return start
    if length < 0:
        put(memory, step, -1)
        return start
    if length > limit - start:
        return LENGTH_PAST_END
    if memory[step] <= Step.JAVA_UTF and not is_utf8(buffer, start, start + length):
        return _NOT_UTF8
    put(memory, step, (start << LENGTH_BITS) | length)
    return start + length


@inlined
def length_at(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int]:
    """Read a length or a count: the number, -1 for null, and the position after it or the trouble below zero."""
    length, after = _stated_length(buffer, memory, step, at, limit)
    if after < 0:
        return np.int64(0), np.int64(after)
    if length < -1:
        return np.int64(0), np.int64(_NEGATIVE_LENGTH)
    if length == -1 and memory[step + NULLABLE] == 0:
        return np.int64(0), np.int64(_UNEXPECTED_NULL)
    return length, after


@inlined
def _stated_length(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int]:
    code, width = memory[step], memory[step + PREFIX]
    if width == 0:
        length, after = uvarint_at(buffer, at, limit)
        return length - 1, after
    if limit - at < width:
        return np.int64(0), np.int64(CUT_SHORT)
    if width == 4:  # noqa: PLR2004 - bytes of an int32
        return int32_at(buffer, at) << (1 if code == Step.JAVA_CHARS else 0), at + 4
    return int16_at(buffer, at) & (0xFFFF if code == Step.JAVA_UTF else -1), at + 2
