"""The newest commits of each key at the instants of a grid, by log order and not by clocks: input of the status.

Put here how windows are filled. The status derived from them belongs in `assets.transforms.marts.status`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.compiled import compiled

if TYPE_CHECKING:
    from parsers.words import Int64Array

LENGTH: Final = 10
"""Commits in a window, as Burrow keeps them."""
EFFECTIVE, OFFSET, LOG_PARTITION, AT, COMMITTED = range(5)
"""The fields of a commit; the first two give the order of the log."""
FIELDS: Final = 5


class Windows:
    """For each key, from the first instant that it was committed by to the last, its newest commits, oldest first."""

    def __init__(self, first_steps: Int64Array, last_step: int) -> None:
        """Take the first step of each key."""
        lengths = np.maximum(last_step + 1 - first_steps, 0)
        self.begins = np.cumsum(lengths) - lengths
        """Where the windows of each key begin."""
        self.uses = np.repeat(np.arange(lengths.size), lengths)
        """The key of each window."""
        self.steps = np.arange(self.uses.size) - np.repeat(self.begins - first_steps, lengths)
        """The instant of each window."""
        self.counts = np.zeros(self.uses.size, np.int64)
        self.commits = np.zeros((self.uses.size, LENGTH, FIELDS), np.int64)
        self._from, self._last = self.begins - first_steps, last_step

    def add(self, use: Int64Array, step: Int64Array, commits: Int64Array) -> None:
        """Add commits, each at the first step that includes it; those after the last step are left out."""
        stands = np.flatnonzero(step <= self._last)
        at = self._from[use[stands]] + step[stands]
        put_commits(self.commits, self.counts, at, commits[stands])

    def fill(self) -> None:
        """Add to each window the commits of the one before."""
        later = np.flatnonzero(self.uses[1:] == self.uses[:-1]) + 1
        carry(self.commits, self.counts, later)


@compiled
def put_commits(windows: Int64Array, counts: Int64Array, at: Int64Array, commits: Int64Array) -> None:
    """Put each commit into its window, unless that has as many newer ones."""
    for row in range(at.size):
        counts[at[row]] = _insert(windows[at[row]], counts[at[row]], commits[row])


@compiled
def carry(windows: Int64Array, counts: Int64Array, later: Int64Array) -> None:
    """Add the commits of each window to the one after it, from the first to the last."""
    for window in later:
        counts[window] = _carry_window(windows[window - 1], counts[window - 1], windows[window], counts[window])


@compiled
def _carry_window(before: Int64Array, before_count: int, window: Int64Array, count: int) -> int:
    """Put the newest first: where one finds no place, no older one does."""
    for place in range(before_count - 1, -1, -1):
        if count == LENGTH and _is_newer(window[0], before[place]):
            break
        count = _insert(window, count, before[place])
    return count


@compiled
def _insert(window: Int64Array, count: int, commit: Int64Array) -> int:
    """Insert a commit in the order of the log; of a full window the oldest one goes."""
    place = count
    while place > 0 and _is_newer(window[place - 1], commit):
        place -= 1
    if count == LENGTH:
        for older in range(place - 1):
            window[older] = window[older + 1]
        if place > 0:
            window[place - 1] = commit
        return count
    for newer in range(count, place, -1):
        window[newer] = window[newer - 1]
    window[place] = commit
    return count + 1


@compiled
def _is_newer(one: Int64Array, other: Int64Array) -> bool:
    if one[EFFECTIVE] == other[EFFECTIVE]:
        return bool(one[OFFSET] > other[OFFSET])
    return bool(one[EFFECTIVE] > other[EFFECTIVE])
