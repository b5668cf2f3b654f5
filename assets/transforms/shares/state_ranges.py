"""The state of a share partition as ranges of offsets, and the changes that a record makes to it, in compiled loops.

Put here what the share coordinator does with state batches: of two about the same offset the one with the higher
delivery count counts, then the one with the higher state. Which records there are belongs in `state_walk`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.compiled import compiled
from parsers.words import Int64Array

START, END, STATE, DELIVERIES, STATE_BEFORE, COUNT_BEFORE = range(6)
RANGE_COLUMNS: Final = 4
"""Of a range: its first offset, its end, which is not in it, and the delivery state and count of its offsets."""
CHANGE_COLUMNS: Final = 6
"""Of a change: the range as it is now, and the state and count before."""
UNKNOWN: Final = -(1 << 62)
"""A state or count before, where nothing was known or written of it."""
ACKNOWLEDGED, ARCHIVED = 2, 4
"""Such a record is not delivered again."""

Changes = tuple[Int64Array, int]
"""Rows of changes, and how many of them are taken."""


@compiled
def grown(rows: Int64Array, least: int) -> Int64Array:
    """Give the rows with room for so many, twice as many as before at least."""
    wider = np.empty((max(least, 2 * rows.shape[0]), rows.shape[1]), np.int64)
    wider[: rows.shape[0]] = rows
    return wider


@compiled
def _first_behind(ranges: Int64Array, low: int, high: int, offset: int) -> int:
    """Give the first of ranges[low:high] that ends behind an offset."""
    while low < high:
        middle = (low + high) // 2
        if ranges[middle, END] > offset:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _first_from(ranges: Int64Array, low: int, high: int, offset: int) -> int:
    """Give the first of ranges[low:high] that starts at an offset or later."""
    while low < high:
        middle = (low + high) // 2
        if ranges[middle, START] >= offset:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _put(rows: Int64Array, count: int, start: int, end: int, own: Int64Array) -> int:
    """Write a range with the state and count of another as the next of rows; their number."""
    rows[count, START], rows[count, END] = start, end
    rows[count, STATE], rows[count, DELIVERIES] = own[STATE], own[DELIVERIES]
    return count + 1


@compiled
def _change(changes: Changes, piece: Int64Array, state_before: int, count_before: int) -> Changes:
    """Write a change as the next one."""
    rows, count = changes
    if count == rows.shape[0]:
        rows = grown(rows, count + 1)
    rows[count, :RANGE_COLUMNS] = piece
    rows[count, STATE_BEFORE], rows[count, COUNT_BEFORE] = state_before, count_before
    return rows, count + 1


@compiled
def differences(ranges: Int64Array, low: int, high: int, other: Int64Array, changes: Changes) -> Changes:
    """Write where a range differs from ranges[low:high]."""
    at, piece = other[START], other.copy()
    for own in range(_first_behind(ranges, low, high, at), _first_from(ranges, low, high, other[END])):
        if at < ranges[own, START]:
            piece[START], piece[END] = at, ranges[own, START]
            changes = _change(changes, piece, UNKNOWN, UNKNOWN)
            at = ranges[own, START]
        piece[START], piece[END] = at, min(ranges[own, END], other[END])
        if ranges[own, STATE] != other[STATE] or ranges[own, DELIVERIES] != other[DELIVERIES]:
            changes = _change(changes, piece, ranges[own, STATE], ranges[own, DELIVERIES])
        at = piece[END]
    if at < other[END]:
        piece[START], piece[END] = at, other[END]
        changes = _change(changes, piece, UNKNOWN, UNKNOWN)
    return changes


@compiled
def _is_older(batch: Int64Array, own: Int64Array) -> bool:
    """Say whether a batch about offsets says less than what stands there."""
    if own[DELIVERIES] != batch[DELIVERIES]:
        return bool(own[DELIVERIES] > batch[DELIVERIES])
    return bool(own[STATE] >= batch[STATE])


@compiled
def _merged(own: Int64Array, batch: Int64Array, changes: Changes) -> tuple[Int64Array, Changes]:
    """Give the ranges that a batch makes of those that it overlaps, and write what changes."""
    rows, used, at = np.empty((2 * own.shape[0] + 3, RANGE_COLUMNS), np.int64), 0, batch[START]
    piece = batch.copy()
    if own.shape[0] and own[0, START] < at:
        used = _put(rows, used, own[0, START], at, own[0])
    for one in own:
        if at < one[START]:
            piece[START], piece[END] = at, one[START]
            used = _put(rows, used, at, one[START], batch)
            changes = _change(changes, piece, UNKNOWN, UNKNOWN)
            at = one[START]
        end = min(one[END], batch[END])
        if _is_older(batch, one):
            used = _put(rows, used, at, end, one)
        else:
            piece[START], piece[END] = at, end
            used = _put(rows, used, at, end, batch)
            changes = _change(changes, piece, one[STATE], one[DELIVERIES])
        at = end
    if at < batch[END]:
        piece[START], piece[END] = at, batch[END]
        used = _put(rows, used, at, batch[END], batch)
        changes = _change(changes, piece, UNKNOWN, UNKNOWN)
    if own.shape[0] and own[-1, END] > batch[END]:
        used = _put(rows, used, batch[END], own[-1, END], own[-1])
    return rows[:used], changes


@compiled
def _shift(ranges: Int64Array, low: int, high: int, by: int) -> None:
    """Move ranges[low:high] so many rows up or down; they are one stretch of memory."""
    numbers, first, count = ranges.reshape(-1), low * RANGE_COLUMNS, (high - low) * RANGE_COLUMNS
    to = first + by * RANGE_COLUMNS
    if by > 0:
        for at in range(count - 1, -1, -1):
            numbers[to + at] = numbers[first + at]
    elif by < 0:
        for at in range(count):
            numbers[to + at] = numbers[first + at]


@compiled
def take(ranges: Int64Array, low: int, high: int, batch: Int64Array, changes: Changes) -> tuple[int, Changes]:
    """Let ranges[low:high] take a batch; where they end then, and the changes. There is room for what comes to them."""
    first = _first_behind(ranges, low, high, batch[START])
    last = _first_from(ranges, first, high, batch[END])
    rows, changes = _merged(ranges[first:last].copy(), batch, changes)
    end = high + rows.shape[0] - (last - first)
    _shift(ranges, last, high, end - high)
    ranges[first : first + rows.shape[0]] = rows
    return end, changes


@compiled
def advance(ranges: Int64Array, low: int, high: int, start_offset: int) -> tuple[int, int]:
    """Forget what of ranges[low:high] is below an offset; where they begin, and how many offsets were at their end."""
    first, finished = _first_behind(ranges, low, high, start_offset), 0
    for own in range(low, min(first + 1, high)):
        is_finished = ranges[own, STATE] == ACKNOWLEDGED or ranges[own, STATE] == ARCHIVED
        if is_finished and ranges[own, START] < start_offset:
            finished += min(ranges[own, END], start_offset) - ranges[own, START]
    if first < high:
        ranges[first, START] = max(ranges[first, START], start_offset)
    return first, finished
