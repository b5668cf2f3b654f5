"""Commits are found among those of their key, wherever a goal was passed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from assets.arrays.neighbours import NO_ROW
from assets.transforms.marts.commit_index import BLOCK, CommitIndex
from assets.transforms.marts.lag_counts import UNKNOWN

KEYS = 3


def index_of(seed: int, rows: int) -> CommitIndex:
    """Commits in any order that go up and down, some of which are removals, or of an unknown time."""
    random = np.random.default_rng(seed)
    offsets = np.abs(np.cumsum(random.integers(-30, 40, rows)))
    columns = {
        "key": np.sort(random.integers(0, KEYS, rows)).astype(np.int32),
        "position": np.arange(rows) * 2,
        "log_offset": np.arange(rows),
        "committed_offset": pa.array(offsets, mask=random.random(rows) < 0.05),
        "previous_offset": pa.array(np.append(0, offsets)[:rows], mask=random.random(rows) < 0.05),
        "effective_us": pa.array(1_000 + np.arange(rows), mask=random.random(rows) < 0.05),
    }
    return CommitIndex.of(pa.table(columns).take(random.permutation(rows)), KEYS)


def passed_at(index: CommitIndex, key: int, begins: int, goal: int) -> int:
    """The same, commit by commit."""
    for row in index.commits.take(index.order).to_pylist():
        is_asked = row["key"] == key and row["position"] >= begins and row["effective_us"] is not None
        is_beyond = row["committed_offset"] is not None and row["committed_offset"] >= goal
        if is_asked and is_beyond and (row["previous_offset"] is None or row["previous_offset"] < goal):
            return int(row["effective_us"])
    return UNKNOWN


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rows", [0, 7, BLOCK, 6 * BLOCK + 5])
def test_the_first_commit_that_passes_a_goal_is_found(seed: int, rows: int) -> None:
    """Whether it comes next or after many that are all below the goal or all beyond it."""
    index, random = index_of(seed, rows), np.random.default_rng(seed)
    key, begins = random.integers(0, KEYS, 60), random.integers(0, 2 * rows + 2, 60)
    goal = random.integers(0, 4 * rows + 50, 60)
    times = index.passing_times(key, begins, goal)
    assert times.tolist() == [passed_at(index, *ask) for ask in zip(key, begins, goal, strict=True)]


def test_a_place_is_behind_the_commits_of_its_own_key() -> None:
    """Those of another key, and those beyond it, don't count."""
    columns = {"key": np.array([0, 0, 2, 2], np.int32), "position": [5, 7, 5, 6], "log_offset": [1, 2, 3, 4]}
    index = CommitIndex.of(pa.table(columns), KEYS)
    actual = index.behind(np.array([0, 0, 0, 1, 2, 2]), np.array([4, 5, 9, 9, 5, 6]))
    assert actual.tolist() == [0, 1, 2, 2, 3, 4]


@pytest.mark.parametrize("seed", range(6))
def test_the_commits_of_each_key_are_in_the_order_in_which_they_took_effect(seed: int) -> None:
    """However they come: those of one transaction took effect at one place, and count in the order of the log."""
    random = np.random.default_rng(seed)
    names = ("key", "position", "log_offset")
    columns = {"key": random.integers(0, 9, 200).astype(np.int32), "position": random.integers(0, 60, 200)}
    commits = pa.table({**columns, "log_offset": random.permutation(200), "kind": random.choice(["a", "b"], 200)})
    expected = commits.sort_by([(name, "ascending") for name in names])
    for given in (commits, expected, commits.sort_by("position"), commits.slice(0, 0)):
        index = CommitIndex.of(given, 9)
        rows = np.arange(given.num_rows)
        for name in (*names, "kind"):
            assert index.take(name, rows).to_pylist() == expected[name].to_pylist()[: given.num_rows]
        assert np.repeat(np.arange(9), index.high - index.low).tolist() == index.take("key", rows).to_pylist()
    assert CommitIndex.of(commits, 9).take("kind", np.array([NO_ROW])).to_pylist() == [None]
