"""The commits of keys that were set back: where each came to between resets, in which states, and what is around these.

Put here the running along these commits. Which of them set an offset back, and what follows from it, is in the models
of mart.replays. A test compares this with a plain query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from assets.arrays.columns import minus
from assets.arrays.neighbours import NO_ROW, at_rows
from assets.transforms.marts.lag_counts import UNKNOWN
from parsers.compiled import compiled

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.marts.commit_index import CommitIndex
    from parsers.words import Int64Array

    Starts = tuple[Mask, Int64Array, Int64Array]

AHEAD: Final = pa.array(["advance", "repeat"])
TURNS: Final = pa.array(["rewind", "first"])
STARTS: Final = ("key", "grp", "number", "stretch", "lowest_offset", "last_position")


class ResetHistories(NamedTuple):
    """What the models of mart.replays look up, by the numbers of keys."""

    commits: pa.Table
    """The commits that may set an offset back, those around them, and the last two of each key: with its number among
    those of the key, the stretch that each is in, the lowest offset of the key up to it, and the record of the group's
    state before it."""
    runs: pa.Table
    """Commits in a row within one stretch and one state: how many, how far they went, and by which step at most.

    A commit `reads on` if it is no lower than the one before, in a state in which members read, or of a batch that a
    query of Spark processed, which begins where the one before ended; all others begin a stretch. ZooKeeper takes
    commits of anybody at any time: there only those of the partition's owner read on."""


class _Rows(NamedTuple):
    """The commits of the keys that were set back, key after key."""

    rows: Int64Array
    key: Int64Array
    number: Int64Array
    """Which of the key's it is; from 0 on, unless earlier ones are remembered."""
    begins: Mask
    """Where the commits of a key begin."""
    stretch: Int64Array
    lowest: Int64Array
    """Where those of a key begin, its stretch before, and the lowest offset until then."""
    state: Int64Array
    """The row of the last record of the group before each took effect; NO_ROW without one."""
    is_read_in: Mask
    reads_on: Mask


def reset_histories(index: CommitIndex, starts: pa.Table, group_states: pa.Table) -> ResetHistories:
    """The histories of these keys, each behind the last commit that is remembered of it."""
    log = _rows_of_keys(index, starts, group_states)
    stretch, lowest = run_along((log.begins, log.stretch, log.lowest), log.reads_on, index.committed[log.rows])
    state_offsets = group_states["log_offset"].to_numpy()
    near = np.flatnonzero(_are_near(log, index.are_one_of(TURNS)[log.rows]))
    return ResetHistories(
        pa.table(
            {
                "key": log.key[near],
                "number": log.number[near],
                "log_offset": index.numbers("log_offset")[log.rows[near]],
                "stretch": stretch[near],
                "lowest_offset": _or_null(lowest[near]),
                "state_log_offset": _or_null(at_rows(state_offsets, log.state[near], UNKNOWN)),
            }
        ),
        _runs(index, log, stretch, state_offsets),
    )


def _are_near(log: _Rows, is_turn: Mask) -> Mask:
    """Which commits may set an offset back, are one or two before such a one or the next, or the last two of a key."""
    is_near: Mask = is_turn.copy()
    for step in (-2, -1, 1):
        rows = np.flatnonzero(is_turn) + step
        rows = rows[(rows >= 0) & (rows < is_turn.size)]
        is_near[rows[log.key[rows] == log.key[rows - step]]] = True
    is_near[:-2] |= log.key[:-2] != log.key[2:]
    is_near[-2:] = True
    return is_near


def _rows_of_keys(index: CommitIndex, starts: pa.Table, group_states: pa.Table) -> _Rows:
    """The commits of these keys, with the state of the group before each."""
    keys, groups, number, stretch, lowest, last_position = (starts[name].to_numpy() for name in STARTS)
    low = index.behind(keys, last_position)
    sizes = index.high[keys] - low
    first = np.cumsum(sizes) - sizes
    rows = np.arange(sizes.sum()) - np.repeat(first - low, sizes)
    begins = np.zeros(rows.size, np.bool_)
    begins[first[sizes > 0]] = True
    edges = np.searchsorted(group_states["grp"].to_numpy(), np.arange(groups.max(initial=-1) + 2))
    state = states_before(
        np.repeat(edges[groups], sizes),
        np.repeat(edges[groups + 1], sizes),
        begins,
        group_states["log_offset"].to_numpy(),
        index.positions[rows],
    )
    is_read_in = np.append(group_states["is_read_in"].to_numpy(), False)[state]
    is_batch, is_by_stranger = (index.truths(name)[rows] for name in ("is_batch", "is_by_stranger"))
    return _Rows(
        rows,
        np.repeat(keys, sizes),
        np.arange(rows.size) - np.repeat(first - number, sizes),
        begins,
        np.repeat(stretch, sizes),
        np.repeat(lowest, sizes),
        state,
        is_read_in,
        reads_on=index.are_one_of(AHEAD)[rows] & (is_read_in | is_batch) & ~is_by_stranger,
    )


def _or_null(numbers: Int64Array) -> pa.Array:
    return pa.array(numbers, mask=numbers == UNKNOWN)


def _runs(index: CommitIndex, log: _Rows, stretch: Int64Array, state_offsets: Int64Array) -> pa.Table:
    """The runs of commits in one stretch and one state."""
    is_new = log.begins.copy()
    is_new[1:] |= (stretch[1:] != stretch[:-1]) | (log.state[1:] != log.state[:-1])
    first = np.flatnonzero(is_new)
    committed, previous = index.committed[log.rows], index.numbers("previous_offset")[log.rows]
    is_step = log.reads_on & (committed != UNKNOWN) & (previous != UNKNOWN)
    sets_out = ~log.reads_on | (log.number == 0)
    last = np.append(first[1:], log.rows.size)[: first.size] - 1
    return pa.table(
        {
            "key": log.key[first],
            "stretch": stretch[first],
            "state_log_offset": _or_null(at_rows(state_offsets, log.state[first], UNKNOWN)),
            "is_read_in": log.is_read_in[first],
            "last_position": index.positions[log.rows[last]],
            "commits": _reduced(np.add, (committed != UNKNOWN).astype(np.int64), first),
            "read_to": _or_null(_reduced(np.maximum, committed, first)),
            "stretch_from": _or_null(_reduced(np.maximum, np.where(sets_out, committed, UNKNOWN), first)),
            "highest_offset": _or_null(_reduced(np.maximum, np.where(sets_out, previous, UNKNOWN), first)),
            "begun_to": _least(committed, log.reads_on & (committed != UNKNOWN), first),
            "longest_step": _or_null(
                _reduced(np.maximum, np.where(is_step, minus(committed, previous), UNKNOWN), first)
            ),
        }
    )


def _reduced(extreme: np.ufunc, numbers: Int64Array, first: Int64Array) -> Int64Array:
    return extreme.reduceat(numbers, first) if first.size else numbers[:0]


def _least(numbers: Int64Array, among: Mask, first: Int64Array) -> pa.Array:
    """The least number of each run among some of its rows; NULL where there are none."""
    least = _reduced(np.minimum, np.where(among, numbers, np.iinfo(np.int64).max), first)
    return pa.array(least, mask=_reduced(np.add, among.astype(np.int64), first) == 0)


@compiled
def states_before(
    low: Int64Array, high: Int64Array, begins: Mask, state_offsets: Int64Array, positions: Int64Array
) -> Int64Array:
    """For each commit the last of its group's records, `low` to `high`, before its place; they ascend within a key."""
    states = np.empty(positions.size, np.int64)
    at = 0
    for row in range(positions.size):
        if begins[row]:
            at = low[row]
        while at < high[row] and state_offsets[at] < positions[row]:
            at += 1
        states[row] = at - 1 if at > low[row] else NO_ROW
    return states


@compiled
def run_along(starts: Starts, reads_on: Mask, offsets: Int64Array) -> tuple[Int64Array, Int64Array]:
    """For each commit the number of its stretch in its key, and the lowest offset so far."""
    begins, stretch_before, lowest_before = starts
    stretch, lowest = np.empty((2, begins.size), np.int64)
    for row in range(begins.size):
        before = row - 1
        stretch[row] = (stretch_before[row] if begins[row] else stretch[before]) + (not reads_on[row])
        least = lowest_before[row] if begins[row] else lowest[before]
        is_lower = offsets[row] != UNKNOWN and (least == UNKNOWN or offsets[row] < least)
        lowest[row] = offsets[row] if is_lower else least
    return stretch, lowest
