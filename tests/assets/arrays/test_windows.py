"""The newest commits of each key at each instant: the same as by looking at all of them again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assets.arrays.windows import LENGTH, Windows

COMMITS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 12)), max_size=60)
"""Of which key, at which step and which marker's; a marker's commits are in the order of the log."""
LAST_STEP = 4


@given(COMMITS, st.integers(1, 7))
def test_windows_have_the_newest_of_all_before(commits: list[tuple[int, int, int]], at_once: int) -> None:
    """However clocks jump, whichever batches they come in, and however many instants pass without a commit."""
    rows = [
        (key, step, np.array([effective, place, 0, step, place]))
        for place, (key, step, effective) in enumerate(commits)
    ]
    first = [min((step for key, step, _ in rows if key == one), default=LAST_STEP + 1) for one in range(3)]
    windows = Windows(np.array(first), LAST_STEP)
    for begin in range(0, len(rows), at_once):
        keys, steps, values = zip(*rows[begin : begin + at_once], strict=True)
        windows.add(np.array(keys), np.array(steps), np.stack(values))
    windows.fill()
    actual = {
        (int(key), int(step)): [tuple(commit[:2].tolist()) for commit in window[:count]]
        for key, step, window, count in zip(windows.uses, windows.steps, windows.commits, windows.counts, strict=True)
    }
    assert actual == {
        (key, at): sorted((int(c[0]), int(c[1])) for own, step, c in rows if own == key and step <= at)[-LENGTH:]
        for key in range(3)
        for at in range(first[key], LAST_STEP + 1)
    }
