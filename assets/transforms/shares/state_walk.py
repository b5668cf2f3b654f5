"""The records of share partitions applied to their states one after the other, in a compiled loop.

Put here what a record does to the state of its share partition. What it does to ranges of offsets belongs in
`state_ranges`; how records become numbers in `decoding`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from assets.transforms.shares.state_ranges import (
    CHANGE_COLUMNS,
    RANGE_COLUMNS,
    advance,
    differences,
    grown,
    take,
)
from parsers.compiled import compiled

if TYPE_CHECKING:
    from assets.transforms.shares.state_ranges import Changes
    from parsers.words import Int64Array

SNAPSHOT, UPDATE, TOMBSTONE, UNREADABLE = range(4)
"""Kinds of records."""
KIND, PLACE, STRETCH, STATE_EPOCH, LEADER_EPOCH, START_OFFSET, FROM_BATCH, TO_BATCH = range(8)
RECORD_COLUMNS: Final = 8
"""Of a record: its kind, its share partition, the stretch of the log without a gap that it is in, its numbers, and from
where to where it has batches."""
OUT_STATE_EPOCH, OUT_LEADER_EPOCH, OUT_START, OUT_BEFORE, IS_NEW_EPOCH, UNDELIVERED, IS_KNOWN, CHANGE_COUNT = range(8)
OUT_COLUMNS: Final = 8
"""Of a record's row: what it leaves behind, and how many changes it makes."""
IN_STRETCH, WAS_KNOWN, EPOCH, LEADER, OFFSET, LOW, HIGH, BASE, ROOM = range(9)
STATE_COLUMNS: Final = 9
"""Of a share partition: its numbers after the last record, where its ranges are, and where there is room for them."""
NULL: Final = -1
"""In place of a number that is not known, or that Kafka writes as -1."""
MOST_RANGES: Final = 20_000
"""A broker keeps at most some thousand records in flight; a state with more ranges is no broker's, and is given up."""


class States(NamedTuple):
    """The states of share partitions: a row of numbers for each, and the ranges of all of them."""

    numbers: Int64Array
    ranges: Int64Array
    used: int
    """So many rows of the ranges are some share partition's."""


def no_states() -> States:
    """The states before the first record."""
    return States(np.empty((0, STATE_COLUMNS), np.int64), np.empty((0, RANGE_COLUMNS), np.int64), 0)


def with_places(states: States, count: int) -> States:
    """States of so many share partitions, of which the new ones are as before their first record."""
    more = np.zeros((count - states.numbers.shape[0], STATE_COLUMNS), np.int64)
    more[:, [IN_STRETCH, EPOCH, LEADER, OFFSET]] = NULL
    return states._replace(numbers=np.concatenate([states.numbers, more]))


class Walked(NamedTuple):
    """The rows of records, all their changes in order, and the states behind them."""

    rows: Int64Array
    changes: Int64Array
    states: States


def walk(records: Int64Array, batches: Int64Array, states: States) -> Walked:
    """Apply records, which come in the order of their logs, to the states of their share partitions."""
    rows, changes, ranges, used = _walk(records, batches, states.numbers, states.ranges, states.used)
    return Walked(rows, changes, States(states.numbers, ranges, used))


@compiled
def _walk(
    records: Int64Array, batches: Int64Array, numbers: Int64Array, ranges: Int64Array, used: int
) -> tuple[Int64Array, Int64Array, Int64Array, int]:
    rows = np.empty((records.shape[0], OUT_COLUMNS), np.int64)
    changes = np.empty((batches.shape[0] + 1, CHANGE_COLUMNS), np.int64), 0
    for number in range(records.shape[0]):
        record, row = records[number], rows[number]
        state = numbers[record[PLACE]]
        is_new_epoch = _begin(record, state)
        before = state[OFFSET] if state[WAS_KNOWN] != 0 and not is_new_epoch else NULL
        ranges, used = _with_room(ranges, used, state, record[TO_BATCH] - record[FROM_BATCH])
        count_before = changes[1]
        own = batches[record[FROM_BATCH] : record[TO_BATCH]]
        finished, changes = _apply(record, state, own, ranges, changes)
        _carry(record, state)
        row[OUT_STATE_EPOCH], row[OUT_LEADER_EPOCH], row[OUT_START] = state[EPOCH], state[LEADER], state[OFFSET]
        row[OUT_BEFORE], row[IS_NEW_EPOCH], row[IS_KNOWN] = before, is_new_epoch, state[WAS_KNOWN]
        has_moved = before != NULL and state[OFFSET] > before
        row[UNDELIVERED] = max(state[OFFSET] - before - finished, 0) if has_moved else NULL
        row[CHANGE_COUNT] = changes[1] - count_before
    return rows, changes[0][: changes[1]], ranges, used


@compiled
def _begin(record: Int64Array, state: Int64Array) -> bool:
    """Forget what a record does not rest on; whether it begins a new epoch of the state, as a reset does."""
    kind = record[KIND]
    is_unbroken = state[WAS_KNOWN] != 0 and state[IN_STRETCH] == record[STRETCH]
    state[WAS_KNOWN] = kind == SNAPSHOT or kind == TOMBSTONE or (is_unbroken and kind == UPDATE)  # noqa: PLR1714 - loops take no sets
    state[IN_STRETCH] = record[STRETCH]
    is_new_epoch = kind == SNAPSHOT and record[STATE_EPOCH] != NULL and record[STATE_EPOCH] != state[EPOCH]
    if is_new_epoch or not is_unbroken or kind == TOMBSTONE:
        state[HIGH], state[OFFSET] = state[LOW], NULL
    return bool(is_new_epoch)


@compiled
def _with_room(ranges: Int64Array, used: int, state: Int64Array, batches: int) -> tuple[Int64Array, int]:
    """Give ranges with room for what so many batches may make of those of a state.

    They move back to the beginning of their room while half of it is enough, else behind all others.
    """
    low, high = state[LOW], state[HIGH]
    room = 2 * (high - low + batches) + 2
    if low + room <= state[BASE] + state[ROOM]:
        return ranges, used
    if 2 * room > state[ROOM]:
        state[BASE], state[ROOM] = used, 4 * room
        used += 4 * room
    if used > ranges.shape[0]:
        ranges = grown(ranges, used)
    ranges[state[BASE] : state[BASE] + high - low] = ranges[low:high].copy()
    state[LOW], state[HIGH] = state[BASE], state[BASE] + high - low
    return ranges, used


@compiled
def _apply(
    record: Int64Array, state: Int64Array, batches: Int64Array, ranges: Int64Array, changes: Changes
) -> tuple[int, Changes]:
    """Apply the batches and the start offset of a record; how many offsets that this passes were at their end."""
    start_offset = max(record[START_OFFSET], 0)
    if record[KIND] == SNAPSHOT:
        state[LOW], finished = advance(ranges, state[LOW], state[HIGH], start_offset)
        state[HIGH], changes = _replace(state, batches, ranges, changes)
    else:
        for batch in batches:
            state[HIGH], changes = take(ranges, state[LOW], state[HIGH], batch, changes)
        state[LOW], finished = advance(ranges, state[LOW], state[HIGH], start_offset)
    if state[HIGH] - state[LOW] > MOST_RANGES:
        state[HIGH], state[WAS_KNOWN] = state[LOW], 0
    return finished, changes


@compiled
def _replace(state: Int64Array, batches: Int64Array, ranges: Int64Array, changes: Changes) -> tuple[int, Changes]:
    """Take the batches of a snapshot instead of all ranges before; where they end then, and the changes."""
    low, high, end = state[LOW], state[HIGH], 0
    fresh = np.empty((2 * batches.shape[0] + 2, RANGE_COLUMNS), np.int64)
    ignored = np.empty((1, CHANGE_COLUMNS), np.int64)
    for batch in batches:
        end, others = take(fresh, 0, end, batch, (ignored, 0))
        ignored = others[0]
    for number in range(end):
        changes = differences(ranges, low, high, fresh[number], changes)
    ranges[low : low + end] = fresh[:end]
    return low + end, changes


@compiled
def _carry(record: Int64Array, state: Int64Array) -> None:
    """Take the numbers of a record; an update leaves out what stays."""
    is_update = record[KIND] == UPDATE
    if not is_update or record[STATE_EPOCH] != NULL:
        state[EPOCH] = record[STATE_EPOCH]
    if not is_update or record[LEADER_EPOCH] != NULL:
        state[LEADER] = record[LEADER_EPOCH]
    if not is_update or record[START_OFFSET] != NULL:
        state[OFFSET] = record[START_OFFSET]
