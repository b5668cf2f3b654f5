"""What groups do: how many commits, of which kinds, when, and that everyone only goes forward."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.batches import NULL, Row
from benchmarks.crowd import Shape, gather
from benchmarks.lexicon import compile_lexicon
from benchmarks.traffic import COMMIT, DAY_MS, START_MS, STATE, TOMBSTONE, Chunk, Traffic, beginning

SHAPE = Shape(commits=400_000, groups=30, topics=4, log_partitions=1)


@pytest.fixture(scope="module")
def chunks() -> list[Chunk]:
    """The traffic of one partition, more than one chunk of it."""
    crowd = gather(SHAPE)
    return list(Traffic(SHAPE, crowd, 0).chunks(SHAPE.commits, compile_lexicon(crowd)[1], beginning(crowd)))


def test_commits_come_out_even(chunks: list[Chunk]) -> None:
    """There are exactly as many commits as were asked for, in batches of one to sixteen records."""
    assert len(chunks) > 1
    counts = np.concatenate([drawn.record_count for drawn, _rows in chunks])
    kinds = np.concatenate([drawn.kind for drawn, _rows in chunks])
    assert counts[kinds == COMMIT].sum() == SHAPE.commits
    assert (counts.min(), counts.max()) == (1, 16)
    assert all(len(rows) == drawn.record_count.sum() for drawn, rows in chunks)


def test_some_batches_are_something_else(chunks: list[Chunk]) -> None:
    """A few batches are states of groups, fewer are deletions, whose records are tombstones."""
    kinds = Counter(kind for drawn, _rows in chunks for kind in drawn.kind.tolist())
    assert kinds[COMMIT] / 100 > kinds[STATE] > kinds[TOMBSTONE] > 0
    for drawn, rows in chunks:
        is_deletion = np.repeat(drawn.kind, drawn.record_count) == TOMBSTONE
        assert np.array_equal(rows[:, Row.VALUE] == NULL, is_deletion)


def test_one_day_in_order(chunks: list[Chunk]) -> None:
    """Batches are in the order of their times, which fill the day."""
    times = np.concatenate([drawn.timestamp_ms for drawn, _rows in chunks])
    assert (np.diff(times) >= 0).all()
    assert START_MS < times[0] < START_MS + DAY_MS // 100
    assert times[-1] == START_MS + DAY_MS


def test_the_upgrade(chunks: list[Chunk]) -> None:
    """The first half of the commits is in the older version, the second in the newer one."""
    is_newer = np.concatenate([np.repeat(drawn.is_newer, drawn.record_count) for drawn, _rows in chunks])
    assert (np.diff(is_newer.astype(int)) >= 0).all()
    assert abs(is_newer.mean() - SHAPE.upgraded_after) < 0.01


def test_everyone_goes_forward(chunks: list[Chunk]) -> None:
    """What a key commits never falls."""
    rows = np.concatenate([rows[np.repeat(drawn.kind, drawn.record_count) == COMMIT] for drawn, rows in chunks])
    rows = rows[np.argsort(rows[:, Row.KEY], kind="stable")]
    is_same_key = np.diff(rows[:, Row.KEY]) == 0
    assert (np.diff(rows[:, Row.NUMBER])[is_same_key] >= 0).all()


def test_the_busiest_group(chunks: list[Chunk]) -> None:
    """Who is busier commits more: the first group is ahead of the last by far."""
    groups = np.concatenate([drawn.group for drawn, _rows in chunks])
    counts = np.bincount(groups, minlength=SHAPE.groups)
    assert counts[0] > 5 * counts[-1] > 0
