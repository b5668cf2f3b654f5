"""The commits of many keys, each key's in the order in which they took effect, and how a place among them is found.

Put here the looking up alone. Which places are looked for, and what follows from what stands there, belongs in
`assets.transforms.marts.handovers` and `assets.transforms.marts.replays`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.neighbours import NO_ROW, at_rows, take_rows
from assets.transforms.marts.lag import rows_up_to
from assets.transforms.marts.lag_counts import UNKNOWN
from parsers.compiled import compiled

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

    Steps = tuple[Int64Array, Int64Array, Int64Array, Int64Array]

BLOCK: Final = 256
"""So many commits are passed at once where none of them can be the one that is looked for."""


@dataclass(frozen=True)
class CommitIndex:
    """Commits and removals, in the order of their keys, and of each key in that of the log."""

    commits: pa.Table
    """Them, in any order."""
    order: Int64Array
    """Where in the table each stands."""
    low: Int64Array
    high: Int64Array
    """For each key where its commits begin and end."""

    @classmethod
    def of(cls, commits: pa.Table, keys: int) -> CommitIndex:
        """The commits of so many keys, which have numbers."""
        order, edges = rows_by_key(commits["key"].to_numpy(), keys)
        put_in_order(order, edges, commits["position"].to_numpy(), commits["log_offset"].to_numpy())
        return cls(commits, order, edges[:-1], edges[1:])

    def numbers(self, name: str) -> Int64Array:
        """What a column says of each commit, UNKNOWN for NULL."""
        values: Int64Array = self.commits[name].fill_null(UNKNOWN).to_numpy()
        return values[self.order]

    def truths(self, name: str) -> Mask:
        """Of which commits something holds."""
        return flags(self.commits[name])[self.order]

    def are_one_of(self, kinds: pa.Array) -> Mask:
        """Which commits are of some kinds."""
        values: Mask = pc.is_in(self.commits["kind"], kinds).to_numpy()
        return values[self.order]

    def take(self, name: str, rows: Int64Array) -> pa.Array:
        """What a column says of some commits; NULL of NO_ROW."""
        return take_rows(self.commits[name], at_rows(self.order, rows))

    @cached_property
    def positions(self) -> Int64Array:
        """Where in the log each took effect."""
        return self.numbers("position")

    @cached_property
    def times(self) -> Int64Array:
        """When each took effect."""
        return self.numbers("effective_us")

    @cached_property
    def committed(self) -> Int64Array:
        """What each committed; UNKNOWN of a removal."""
        return self.numbers("committed_offset")

    def behind(self, key: Int64Array, place: Int64Array) -> Int64Array:
        """The row behind the commits of a key that took effect up to a place in the log, it included."""
        return rows_up_to(self.positions, self.low, self.high, key, place)

    def passing_times(self, key: Int64Array, begins: Int64Array, goal: Int64Array) -> Int64Array:
        """When a commit from a place on first came from before a goal to it or beyond; UNKNOWN where none did."""
        first = self.behind(key, begins - 1)
        rows = passing_rows(self._steps, first, self.high[key], goal)
        return np.append(self.times, UNKNOWN)[rows]

    @cached_property
    def _steps(self) -> Steps:
        """Where each came to, unless nobody knows when, and from where; and how far those of each block did at most."""
        to = np.where(self.times == UNKNOWN, UNKNOWN, self.committed)
        of = self.numbers("previous_offset")
        return to, of, _by_block(to, np.maximum), _by_block(of, np.minimum)


def _by_block(numbers: Int64Array, extreme: np.ufunc) -> Int64Array:
    """The greatest or least of each block."""
    edges = np.arange(0, numbers.size, BLOCK)
    return extreme.reduceat(numbers, edges) if edges.size else numbers


@compiled
def rows_by_key(key: NDArray[np.int32], keys: int) -> tuple[Int64Array, Int64Array]:
    """The rows key after key, those of each as they come; and where each key begins."""
    edges = np.zeros(keys + 1, np.int64)
    for row in range(key.size):
        edges[key[row] + 1] += 1
    edges = np.cumsum(edges)
    free, order = edges[:-1].copy(), np.empty(key.size, np.int64)
    for row in range(key.size):
        order[free[key[row]]] = row
        free[key[row]] += 1
    return order, edges


@compiled
def put_in_order(order: Int64Array, edges: Int64Array, position: Int64Array, log_offset: Int64Array) -> None:
    """Put the rows of each key in the order of the log, where they do not come in it."""
    for key in range(edges.size - 1):
        rows = order[edges[key] : edges[key + 1]]
        rows[:] = _in_order(rows, position, log_offset)


@compiled
def _in_order(rows: Int64Array, position: Int64Array, log_offset: Int64Array) -> Int64Array:
    """Rows in the order of the log; by log offsets alone, where that is the order of their places, too."""
    for numbers in (log_offset, position):
        if not _ascend(position[rows], log_offset[rows]):
            rows = rows[np.argsort(numbers[rows], kind="mergesort")]
    return rows


@compiled
def _ascend(position: Int64Array, log_offset: Int64Array) -> bool:
    """Whether places come one behind the other."""
    for row in range(1, position.size):
        if (position[row], log_offset[row]) < (position[row - 1], log_offset[row - 1]):
            return False
    return True


@compiled
def passing_rows(steps: Steps, first: Int64Array, end: Int64Array, goal: Int64Array) -> Int64Array:
    """For each goal the first row that passes it, NO_ROW without one."""
    to, of, highest, lowest = steps
    rows = np.empty(goal.size, np.int64)
    for ask in range(goal.size):
        row = first[ask]
        while row < end[ask] and not to[row] >= goal[ask] > of[row]:
            row = _next(row, highest, lowest, goal[ask])
        rows[ask] = row if row < end[ask] else NO_ROW
    return rows


@compiled
def _next(row: int, highest: Int64Array, lowest: Int64Array, goal: int) -> int:
    """The row behind one, and behind all blocks that begin there and of which none can pass the goal."""
    row += 1
    while row % BLOCK == 0 and row // BLOCK < highest.size and not highest[row // BLOCK] >= goal > lowest[row // BLOCK]:
        row += BLOCK
    return row
