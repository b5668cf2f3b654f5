"""Many records of one version at once: each step of a program goes over all of them before the next one begins.

Put here the steps as loops over records; which versions they can read is said in `parsers.messages.steps.program`.
Nothing is told of trouble here: a record that holds anything rare is LEFT, and `parsers.messages.steps.interpreter`
reads it instead. Texts are not looked into: that is done where they are numbered, once for each distinct one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.inlined import inlined, without_refcounts
from parsers.messages.primitives import int16_at, int64_at
from parsers.messages.steps.plain_steps import length_at
from parsers.messages.steps.program import NULLABLE, PREFIX, SIDE, SIZE, SLOT, STEP_CELLS, TAGGED_STEPS, Step
from parsers.messages.steps.tree import ABSENT
from parsers.spans import LENGTH_BITS
from parsers.words import byte_at

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

LEFT: Final = 2**62
"""Position of a record that is left to the interpreter; it is behind every end."""

RUN_RECORDS: Final = 512
"""Records that go through a program together: so few that their bytes stay in the processor's nearest cache."""

_WORD_BYTES: Final = 8
_TAG_HEAD_BYTES: Final = 3


class Run(NamedTuple):
    """Consecutive records that are read together: where the next step finds each of them, and where each ends."""

    cursors: Int64Array
    ends: Int64Array
    row: int
    """Row of the first one."""


@without_refcounts
def run_together(buffer: ByteArray, memory: Int64Array, run: Run, step: int) -> None:
    """Run the steps from one on; then every cursor is where its record's struct ended, or LEFT."""
    while memory[step] != Step.END:
        if memory[step] == Step.TAGS:
            _read_tags(buffer, memory, run, step)
            step += STEP_CELLS * (TAGGED_STEPS if memory[step + SIZE] else 1)
            continue
        if memory[step] == Step.UUID:
            _read_uuids(memory, run, step)
        elif memory[step] <= Step.UINT16:
            _read_integers(buffer, memory, run, step)
        elif memory[step] == Step.STRING and memory[step + PREFIX] > 0 and memory[step + NULLABLE] == 0:
            _read_texts(buffer, memory, run, step)
        else:
            _read_spans(buffer, memory, run, step)
        step += STEP_CELLS


@without_refcounts
def _read_integers(buffer: ByteArray, memory: Int64Array, run: Run, step: int) -> None:
    width, last, values = memory[step + SIZE], buffer.size - _WORD_BYTES, memory[memory[step + SLOT] + run.row :]
    shift, mask = np.int64(64) - 8 * width, np.int64(0xFFFF if memory[step] == Step.UINT16 else -1)
    for index in range(run.cursors.size):
        at = run.cursors[index]
        if at <= last and run.ends[index] - at >= width:
            values[index] = (int64_at(buffer, at) >> shift) & mask
            run.cursors[index] = at + width
        else:
            run.cursors[index] = LEFT
    _mark_present(memory, run, step)


@inlined
def _mark_present(memory: Int64Array, run: Run, step: int) -> None:
    """Say on the side of a number that it is there, where the field asks for that."""
    if memory[step + SIDE] != ABSENT:
        first = memory[step + SIDE] + run.row
        for index in range(run.cursors.size):
            memory[first + index] = 1 if run.cursors[index] != LEFT else 0


@without_refcounts
def _read_uuids(memory: Int64Array, run: Run, step: int) -> None:
    width, values = memory[step + SIZE], memory[memory[step + SLOT] + run.row :]
    for index in range(run.cursors.size):
        at = run.cursors[index]
        if run.ends[index] - at >= width:
            values[index] = (at << LENGTH_BITS) | width
            run.cursors[index] = at + width
        else:
            run.cursors[index] = LEFT


@without_refcounts
def _read_texts(buffer: ByteArray, memory: Int64Array, run: Run, step: int) -> None:
    """Read texts that may not be null and have their lengths in two bytes before them."""
    values = memory[memory[step + SLOT] + run.row :]
    for index in range(run.cursors.size):
        start, end = run.cursors[index] + 2, run.ends[index]
        length = int16_at(buffer, start - 2) if start <= end else np.int64(-1)
        if length >= 0 and length <= end - start:
            values[index] = (start << LENGTH_BITS) | length
            run.cursors[index] = start + length
        else:
            run.cursors[index] = LEFT


@without_refcounts
def _read_spans(buffer: ByteArray, memory: Int64Array, run: Run, step: int) -> None:
    values = memory[memory[step + SLOT] + run.row :]
    for index in range(run.cursors.size):
        at, end = run.cursors[index], run.ends[index]
        length, start = length_at(buffer, memory, step, at, end) if at < end else (np.int64(0), np.int64(-1))
        after = start + max(length, 0)
        if start < 0 or after > end:
            run.cursors[index] = LEFT
        else:
            values[index] = (start << LENGTH_BITS) | length if length >= 0 else -1
            run.cursors[index] = after


@without_refcounts
def _read_tags(buffer: ByteArray, memory: Int64Array, run: Run, step: int) -> None:
    """Read sections without tagged fields, or with the known one alone, in its usual short form."""
    for index in range(run.cursors.size):
        at, end = run.cursors[index], run.ends[index]
        if at < end and byte_at(buffer, at) == 0:
            run.cursors[index] = at + 1
        elif memory[step + SIZE] and end - at > _TAG_HEAD_BYTES and _is_known_tag(buffer, memory, step, at):
            run.cursors[index] = _read_tagged(buffer, memory, run, step + 2 * STEP_CELLS, index)
        else:
            run.cursors[index] = LEFT


@inlined
def _is_known_tag(buffer: ByteArray, memory: Int64Array, step: int, at: int) -> bool:
    """Tell whether there is one tagged field here, and it is the known one, of the size it ought to have."""
    known, size = memory[memory[step + SLOT]], memory[step + 2 * STEP_CELLS + SIZE]
    count, tag, stated = byte_at(buffer, at), byte_at(buffer, at + 1), byte_at(buffer, at + 2)
    return bool(count == 1 and tag == known and stated == size)


@inlined
def _read_tagged(buffer: ByteArray, memory: Int64Array, run: Run, step: int, index: int) -> int:
    at, width = run.cursors[index] + _TAG_HEAD_BYTES, memory[step + SIZE]
    if at + width > run.ends[index] or at + _WORD_BYTES > buffer.size:
        return LEFT
    place = memory[step + SLOT] + run.row + index
    if memory[step] == Step.UUID:
        memory[place] = (at << LENGTH_BITS) | width
    else:
        memory[place] = int64_at(buffer, at) >> (np.int64(64) - 8 * width)
    if memory[step + SIDE] != ABSENT:
        memory[memory[step + SIDE] + run.row + index] = 1
    return int(at + width)
