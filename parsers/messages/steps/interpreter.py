"""The interpreter: it runs a program over spans of bytes and fills slots, one record after the other, compiled.

Put here what each step of a program does. No step reads outside the span it was given, whatever the bytes say, and the
work is bounded by the bytes: each element of an array takes at least one. The machine has one memory for everything
but the bytes, so that a step is given two arrays and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from parsers.inlined import inlined, without_refcounts
from parsers.messages.primitives import CUT_SHORT, int8_at, uvarint_at
from parsers.messages.reasons import Reason
from parsers.messages.steps.cells import (
    ENTRIES,
    FIRST_VERSION,
    LEVEL_CELLS,
    LEVEL_COUNT,
    LEVELS,
    POSITION_BITS,
    UNIFORM_ENTRIES,
    UNKNOWN_COUNTS,
    UNKNOWN_LEVEL_CELL,
    UNKNOWN_SPANS,
    UNKNOWN_STEPS,
    UNKNOWN_TAGS,
    VERSION_COUNT,
)
from parsers.messages.steps.plain_steps import LENGTH_PAST_END, length_at, put, read
from parsers.messages.steps.program import (
    JUMP,
    LAST_PLAIN,
    LEVEL,
    PREFIX,
    REGISTER,
    SIZE,
    SLOT,
    STEP_CELLS,
    Step,
)
from parsers.messages.steps.runs import LEFT, RUN_RECORDS, Run, run_together
from parsers.messages.steps.tree import ABSENT
from parsers.spans import LENGTH_BITS

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

_COUNT_PAST_END: Final = -int(Reason.COUNT_PAST_END)
_TAG_SIZE: Final = -int(Reason.TAG_SIZE)
_UNKNOWN_VERSION: Final = -int(Reason.UNKNOWN_VERSION)

_FEW: Final = 8
"""Fewer records than these are read faster one by one."""


class Records(NamedTuple):
    """The records to read, and what became of each."""

    starts: Int64Array
    ends: Int64Array
    versions: npt.NDArray[np.int16]
    head_bytes: int
    """Bytes between the start of a record and its struct."""
    reasons: npt.NDArray[np.int8]
    """Trouble of each record; one that has trouble already is not read."""
    outcomes: Int64Array
    """Bytes after the struct; for a record with trouble its position, and above POSITION_BITS the step that has it."""


def run(buffer: ByteArray, memory: Int64Array, records: Records) -> None:
    """Read every record whose start is not negative and that has no trouble yet."""
    run_rows(buffer, memory, records, np.empty(0, np.int64))


def run_unchecked(buffer: ByteArray, memory: Int64Array, records: Records) -> None:
    """Do the same faster, but do not look whether texts of a record's own level are UTF-8."""
    run_rows(buffer, memory, records, np.empty(RUN_RECORDS, np.int64))


@without_refcounts
def run_rows(buffer: ByteArray, memory: Int64Array, records: Records, cursors: Int64Array) -> None:
    """Read records in runs of one version: together where it goes one way and there is room, else one by one."""
    row, has_room = 0, memory[LEVELS + 1] >= records.starts.size
    while row < records.starts.size:
        last = _run_end(records, row, min(row + max(cursors.size, 1), records.starts.size))
        entry = _entry(memory, memory[UNIFORM_ENTRIES], records.versions[row])
        if entry != ABSENT and has_room and last - row >= _FEW:
            _begin_run(records, cursors[: last - row], row)
            run_together(buffer, memory, Run(cursors[: last - row], records.ends[row:last], row), entry)
            _finish_run(buffer, memory, records, cursors[: last - row], row)
        else:
            for single in range(row, last):
                _run_row(buffer, memory, records, single)
        row = max(last, row + 1)


@inlined
def _run_end(records: Records, row: int, last: int) -> int:
    """Give the row behind the records from `row` on that are to be read and have the same version."""
    end = row
    while end < last and records.starts[end] >= 0 and records.reasons[end] == 0:
        if records.versions[end] != records.versions[row]:
            break
        end += 1
    return int(end)


@inlined
def _begin_run(records: Records, cursors: Int64Array, row: int) -> None:
    for index in range(cursors.size):
        cursors[index] = records.starts[row + index] + records.head_bytes


@inlined
def _finish_run(buffer: ByteArray, memory: Int64Array, records: Records, cursors: Int64Array, row: int) -> None:
    """Note what is left over of each record, and read those that were left."""
    for index in range(cursors.size):
        if cursors[index] == LEFT:
            _run_row(buffer, memory, records, row + index)
        elif cursors[index] != records.ends[row + index]:
            records.outcomes[row + index] = records.ends[row + index] - cursors[index]


@without_refcounts
def _run_row(buffer: ByteArray, memory: Int64Array, records: Records, row: int) -> None:
    memory[LEVELS] = row
    entry = _entry(memory, memory[ENTRIES], records.versions[row])
    start, end = records.starts[row], records.ends[row]
    stop, step, at = _run_record(buffer, memory, entry, start + records.head_bytes, end)
    if stop == end:
        _keep_rows(memory)
    elif stop >= 0:
        _keep_rows(memory)
        records.outcomes[row] = end - stop
    else:
        _drop_rows(memory)
        records.reasons[row] = -stop
        records.outcomes[row] = (step << POSITION_BITS) | (at if step > 0 else start)


@inlined
def _entry(memory: Int64Array, entries: int, version: int) -> int:
    place = version - memory[FIRST_VERSION]
    is_known = place >= 0 and place < memory[VERSION_COUNT]
    return memory[entries + place] if is_known else ABSENT


@inlined
def _keep_rows(memory: Int64Array) -> None:
    """Let what a record wrote below the record's own level stand."""
    unknown_rows = memory[UNKNOWN_LEVEL_CELL] - memory[UNKNOWN_LEVEL_CELL + 2]
    if unknown_rows > 0 and memory[LEVELS] < memory[LEVELS + 1]:
        memory[memory[UNKNOWN_COUNTS] + memory[LEVELS]] = unknown_rows
    for level in range(UNKNOWN_LEVEL_CELL, LEVELS + LEVEL_CELLS * memory[LEVEL_COUNT], LEVEL_CELLS):
        memory[level + 2] = memory[level]


@inlined
def _drop_rows(memory: Int64Array) -> None:
    """Forget what a record wrote below the record's own level."""
    for level in range(UNKNOWN_LEVEL_CELL, LEVELS + LEVEL_CELLS * memory[LEVEL_COUNT], LEVEL_CELLS):
        memory[level] = memory[level + 2]


@inlined
def _run_record(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int, int]:
    """Run the steps of one record: give where it ended or the trouble below zero, the last step, and where it stood."""
    if step == ABSENT:
        return np.int64(_UNKNOWN_VERSION), np.int64(0), at
    while memory[step] != Step.END:
        if memory[step] <= LAST_PLAIN:
            after, following, end = read(buffer, memory, step, at, limit), step + STEP_CELLS, limit
        else:
            after, following, end = _run_control_step(buffer, memory, step, at, limit)
        if after < 0:
            return after, step, at
        at, step, limit = after, following, end
    return at, step, at


@without_refcounts
def _run_control_step(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int, int]:
    """Run a step that may jump: give the position (trouble below zero), the next step, and the end of the span."""
    code, following = memory[step], step + STEP_CELLS
    if code == Step.NEXT:
        return at, _next_element(memory, step), limit
    if code == Step.ARRAY:
        after, count = _enter_array(buffer, memory, step, at, limit)
        return after, following if count > 0 else memory[step + JUMP], limit
    if code == Step.MARK:
        after, is_present = _enter_struct(buffer, memory, step, at, limit)
        return after, following if is_present else memory[step + JUMP], limit
    if code == Step.REST:
        return at, memory[step + JUMP] if at == limit else following, limit
    return _control_tags(buffer, memory, step, at, limit)


@inlined
def _next_element(memory: Int64Array, step: int) -> int:
    memory[memory[step + LEVEL]] += 1
    left = memory[memory[step + REGISTER]] - 1
    memory[memory[step + REGISTER]] = left
    return memory[step + JUMP] if left > 0 else step + STEP_CELLS


@inlined
def _enter_array(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int]:
    count, after = length_at(buffer, memory, step, at, limit)
    if after < 0:
        return after, count
    if count > (limit - after) // memory[step + SIZE]:
        return np.int64(_COUNT_PAST_END), count
    put(memory, step, count)
    memory[memory[step + REGISTER]] = count
    return after, count


@inlined
def _enter_struct(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, bool]:
    """Read the mark before a nullable struct: a negative byte is null, but a tagged one writes null as varint zero."""
    if at >= limit:
        return np.int64(CUT_SHORT), False
    value, after = int8_at(buffer, at) + 1, at + 1
    if memory[step + PREFIX] == 0:
        value, after = uvarint_at(buffer, at, limit)
    if after >= 0:
        put(memory, step, 1 if value > 0 else 0)
    return after, value > 0


@without_refcounts
def _control_tags(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> tuple[int, int, int]:
    code, register, following = memory[step], memory[step + REGISTER], np.int64(step + STEP_CELLS)
    if code == Step.TAGS:
        return _scan_tags(buffer, memory, step, at, limit), following, np.int64(limit)
    if code == Step.TAGS_END:
        return memory[register], following, memory[register + 1]
    if code == Step.TAG_END:
        return np.int64(at if at == limit else _TAG_SIZE), following, np.int64(limit)
    if memory[register] < 0:
        return np.int64(at), memory[step + JUMP], np.int64(limit)
    return memory[register], following, memory[register + 1]


@inlined
def _scan_tags(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    """Find the payload of every tagged field of a struct, so that the steps that follow can go to them in turn."""
    last = memory[step + REGISTER] + 2 * memory[step + SIZE]
    for register in range(memory[step + REGISTER], last, 2):
        memory[register] = -1
    count, after = uvarint_at(buffer, at, limit)
    if after >= 0 and count > (limit - after) // 2:
        return _COUNT_PAST_END
    while after >= 0 and count > 0:
        after = _scan_tag(buffer, memory, step, after, limit)
        count -= 1
    memory[last], memory[last + 1] = after, limit
    return after


@inlined
def _scan_tag(buffer: ByteArray, memory: Int64Array, step: int, at: int, limit: int) -> int:
    tag, after = uvarint_at(buffer, at, limit)
    size, start = uvarint_at(buffer, after, limit) if after >= 0 else (tag, after)
    if start < 0:
        return start
    if size > limit - start:
        return LENGTH_PAST_END
    for known in range(memory[step + SIZE]):
        if memory[memory[step + SLOT] + known] == tag:
            register = memory[step + REGISTER] + 2 * known
            memory[register], memory[register + 1] = start, start + size
            return start + size
    _keep_unknown(memory, step, tag, (start << LENGTH_BITS) | size)
    return start + size


@inlined
def _keep_unknown(memory: Int64Array, step: int, tag: int, span: int) -> None:
    row = memory[UNKNOWN_LEVEL_CELL]
    if row < memory[UNKNOWN_LEVEL_CELL + 1]:
        memory[memory[UNKNOWN_TAGS] + row] = tag
        memory[memory[UNKNOWN_STEPS] + row] = step
        memory[memory[UNKNOWN_SPANS] + row] = span
    memory[UNKNOWN_LEVEL_CELL] = row + 1
