"""The commits of keys that were set back, each with the state of the group before it and how far the key had come.

Put here the running along these commits. Which of them set an offset back, and what follows from it, is in the models
of mart.replays. A test compares this with a plain query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.lookups import last_at
from assets.arrays.neighbours import NO_ROW, at_rows, holds
from assets.transforms.marts.lag_counts import UNKNOWN
from parsers.compiled import compiled

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.marts.commit_index import CommitIndex
    from parsers.words import Int64Array

AHEAD: Final = pa.array(["advance", "repeat"])
TURNS: Final = pa.array(["rewind", "first"])
COPIED: Final = ("key", "log_offset", "committed_offset", "previous_offset")
"""The columns of the index that are taken as they are."""


def reset_histories(index: CommitIndex, reset_keys: pa.Table, group_states: pa.Table) -> pa.Table:
    """The commits and removals of these keys, in the order of the index, numbered from 1 within each key as `nth`.

    A commit `reads_on` if it is no lower than the one before, in a state in which members read, or of a batch that a
    query of Spark processed, which begins where the one before ended; all others begin a stretch. The key has never
    committed less than `lowest_so_far` until then.
    """
    group_of = np.full(index.low.size, NO_ROW, np.int64)
    group_of[reset_keys["key"].to_numpy()] = reset_keys["grp"].to_numpy()
    key = index.commits["key"].to_numpy()
    rows = np.flatnonzero(group_of[key] != NO_ROW)
    commits = index.commits.take(pa.array(rows))
    state = _states(group_states, group_of[key[rows]], index.positions[rows], reset_keys.num_rows)
    is_read_in = holds(group_states["is_read_in"].to_numpy(), state)
    reads_on = pc.is_in(commits["kind"], AHEAD).to_numpy() & (is_read_in | flags(commits["is_batch"]))
    begins = key[rows] != np.append(NO_ROW, key[rows][:-1])
    nth, stretch, lowest = run_along(begins, reads_on, index.committed[rows])
    state_offset = at_rows(group_states["log_offset"].to_numpy(), state)
    return pa.table(
        {
            **{name: commits[name] for name in COPIED},
            "is_turn": pc.is_in(commits["kind"], TURNS),
            "state_log_offset": pa.array(state_offset, mask=state == NO_ROW),
            "reads_on": reads_on,
            "nth": nth,
            "stretch": stretch,
            "lowest_so_far": pa.array(lowest, mask=lowest == UNKNOWN),
        }
    )


def _states(group_states: pa.Table, group: Int64Array, positions: Int64Array, groups: int) -> Int64Array:
    """The row of the last record of each commit's group before it took effect; NO_ROW without one."""
    state_group, state_offset = (group_states[name].to_numpy() for name in ("grp", "log_offset"))
    return last_at(state_group, state_offset, groups, group, positions - 1)


@compiled
def run_along(begins: Mask, reads_on: Mask, offsets: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """For each commit its number in its key, the number of its stretch, and the lowest offset so far."""
    nth, stretch, lowest = np.empty((3, begins.size), np.int64)
    for row in range(begins.size):
        before = row - 1
        nth[row] = 1 if begins[row] else nth[before] + 1
        stretch[row] = (0 if begins[row] else stretch[before]) + (not reads_on[row])
        least = UNKNOWN if begins[row] else lowest[before]
        is_lower = offsets[row] != UNKNOWN and (least == UNKNOWN or offsets[row] < least)
        lowest[row] = offsets[row] if is_lower else least
    return nth, stretch, lowest
