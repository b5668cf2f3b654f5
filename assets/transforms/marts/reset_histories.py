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

AHEAD: Final = pa.array(["advance", "repeat"])
TURNS: Final = pa.array(["rewind", "first"])


class ResetHistories(NamedTuple):
    """What the models of mart.replays look up, by the numbers of keys."""

    turns: pa.Table
    """The commits that may set an offset back, with the stretch that each is in, the log offsets of the one and two
    before it and of the next, and the lowest offset of the key until then."""
    commits: pa.Table
    """All of these commits, each with the record of the group's state before it."""
    runs: pa.Table
    """Commits in a row within one stretch and one state: how many, how far they went, and by which step at most.

    A commit `reads on` if it is no lower than the one before, in a state in which members read, or of a batch that a
    query of Spark processed, which begins where the one before ended; all others begin a stretch. ZooKeeper takes
    commits of anybody at any time: there only those of the partition's owner read on."""


class _Rows(NamedTuple):
    """The commits of the keys that were set back, key after key."""

    rows: Int64Array
    key: Int64Array
    begins: Mask
    """Where a key begins."""
    state: Int64Array
    """The row of the last record of the group before each took effect; NO_ROW without one."""
    reads_on: Mask


def reset_histories(index: CommitIndex, reset_keys: pa.Table, group_states: pa.Table) -> ResetHistories:
    """The histories of these keys."""
    log = _rows_of_keys(index, reset_keys, group_states)
    stretch, lowest = run_along(log.begins, log.reads_on, index.committed[log.rows])
    turns = np.flatnonzero(index.are_one_of(TURNS)[log.rows])
    near = {"log_offset": turns, **_neighbours(log, turns)}
    log_offsets = index.numbers("log_offset")[log.rows]
    state_offsets = group_states["log_offset"].to_numpy()
    counted = np.unique(np.concatenate(list(near.values()))) if turns.size else turns
    counted = counted[counted != NO_ROW]
    return ResetHistories(
        pa.table(
            {
                "key": log.key[turns],
                **{name: _or_null(at_rows(log_offsets, rows, UNKNOWN)) for name, rows in near.items()},
                "stretch": stretch[turns],
                "lowest_so_far": _or_null(at_rows(lowest, near["before_log_offset"], UNKNOWN)),
            }
        ),
        pa.table(
            {
                "key": log.key[counted],
                "log_offset": log_offsets[counted],
                "state_log_offset": _or_null(at_rows(state_offsets, log.state[counted], UNKNOWN)),
            }
        ),
        _runs(index, log, stretch, state_offsets),
    )


def _rows_of_keys(index: CommitIndex, reset_keys: pa.Table, group_states: pa.Table) -> _Rows:
    """The commits of these keys, with the state of the group before each."""
    keys, groups = reset_keys["key"].to_numpy(), reset_keys["grp"].to_numpy()
    sizes = index.high[keys] - index.low[keys]
    starts = np.cumsum(sizes) - sizes
    rows = np.arange(sizes.sum()) - np.repeat(starts - index.low[keys], sizes)
    begins = np.zeros(rows.size, np.bool_)
    begins[starts[sizes > 0]] = True
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
    reads_on = index.are_one_of(AHEAD)[rows] & (is_read_in | is_batch) & ~is_by_stranger
    return _Rows(rows, np.repeat(keys, sizes), begins, state, reads_on)


def _or_null(numbers: Int64Array) -> pa.Array:
    return pa.array(numbers, mask=numbers == UNKNOWN)


def _neighbours(log: _Rows, turns: Int64Array) -> dict[str, Int64Array]:
    """The rows before and behind some, within their keys; NO_ROW without one."""
    begins = np.flatnonzero(log.begins)
    number = np.searchsorted(begins, turns, side="right") - 1
    first, end = at_rows(begins, number), np.append(begins, log.rows.size)[number + 1]
    near = {"before_log_offset": turns - 1, "earlier_log_offset": turns - 2, "next_log_offset": turns + 1}
    return {name: np.where((rows >= first) & (rows < end), rows, NO_ROW) for name, rows in near.items()}


def _runs(index: CommitIndex, log: _Rows, stretch: Int64Array, state_offsets: Int64Array) -> pa.Table:
    """The runs of commits in one stretch and one state."""
    is_new = log.begins.copy()
    is_new[1:] |= (stretch[1:] != stretch[:-1]) | (log.state[1:] != log.state[:-1])
    first = np.flatnonzero(is_new)
    committed, previous = index.committed[log.rows], index.numbers("previous_offset")[log.rows]
    is_step = log.reads_on & (committed != UNKNOWN) & (previous != UNKNOWN)
    sets_out = ~log.reads_on | log.begins
    return pa.table(
        {
            "key": log.key[first],
            "stretch": stretch[first],
            "state_log_offset": _or_null(at_rows(state_offsets, log.state[first], UNKNOWN)),
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
def run_along(begins: Mask, reads_on: Mask, offsets: Int64Array) -> tuple[Int64Array, Int64Array]:
    """For each commit the number of its stretch in its key, and the lowest offset so far."""
    stretch, lowest = np.empty((2, begins.size), np.int64)
    for row in range(begins.size):
        before = row - 1
        stretch[row] = (0 if begins[row] else stretch[before]) + (not reads_on[row])
        least = UNKNOWN if begins[row] else lowest[before]
        is_lower = offsets[row] != UNKNOWN and (least == UNKNOWN or offsets[row] < least)
        lowest[row] = offsets[row] if is_lower else least
    return stretch, lowest
