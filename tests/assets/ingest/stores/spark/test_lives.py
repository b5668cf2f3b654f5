"""Which batches of a checkpoint are new, and behind what they stand when a number comes again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.ingest.stores.positions import MOST_LIVES
from assets.ingest.stores.spark.lives import new_batches
from parsers.errors import SourceError
from parsers.spark_checkpoints.checkpoint import Batch

Archive = dict[int, dict[int, "int | None"]]


def _batches(*plans: tuple[int, int | None]) -> list[Batch]:
    return [Batch(number, f"offsets/{number}", planned_ms, planned_ms, {}) for number, planned_ms in plans]


def _read(archive: Archive, *plans: tuple[int, int | None]) -> list[tuple[int, int]]:
    """Archive what is new, and give life and number of each."""
    new = list(new_batches(_batches(*plans), archive))
    for life, batch, *_ in new:
        archive.setdefault(life, {})[batch.number] = batch.planned_ms
    return [(one.life, one.batch.number) for one in new if one.set_back_ms is None]


def test_a_checkpoint_that_goes_on_has_one_life() -> None:
    """Whether Spark removed its oldest batches meanwhile or not."""
    archive: Archive = {}
    assert _read(archive, (0, 10), (1, 11)) == [(0, 0), (0, 1)]
    assert _read(archive, (1, 11), (2, 12)) == [(0, 2)]
    assert _read(archive, (150, 200)) == [(0, 150)]
    assert _read(archive, (150, 200)) == []


def test_batches_that_were_taken_out_begin_a_life() -> None:
    """And what follows goes on in it."""
    archive: Archive = {}
    _read(archive, *((number, 10 + number) for number in range(8)))
    assert _read(archive, (4, 14), (5, 105), (6, 106)) == [(1, 5), (1, 6)]
    assert _read(archive, (5, 105), (6, 106), (7, 107), (8, 108)) == [(1, 7), (1, 8)]
    assert _read(archive, (5, 105), (6, 206)) == [(2, 6)]


def test_a_copy_of_long_ago_fills_in_what_was_gone() -> None:
    """A backup has batches that Spark had removed when the first run read."""
    archive: Archive = {}
    _read(archive, (100, 1100), (101, 1101))
    assert _read(archive, (50, 1050), (100, 1100)) == [(0, 50)]


def test_a_checkpoint_that_was_restored_begins_a_life_with_what_is_new() -> None:
    """Its old batches are known; what is planned later than another life stands behind that."""
    archive: Archive = {}
    _read(archive, (0, 10), (1, 11), (2, 12))
    _read(archive, (0, 10), (1, 101))
    assert _read(archive, (0, 10), (1, 11), (2, 12), (3, 200)) == [(2, 3)]


def test_a_batch_behind_an_unknown_one_may_have_others_before_it() -> None:
    """Behind what Spark removed, behind a torn one, and where a life begins; the very first has none before it."""
    archive: Archive = {0: {0: 10, 1: 11}}
    new = new_batches(_batches((0, 10), (2, 12), (4, 14), (5, 15)), archive)
    assert [(one.batch.number, one.is_next) for one in new] == [(2, True), (4, False), (5, True)]
    set_back = new_batches(_batches((0, 10), (1, 101), (2, 102)), archive)
    assert [(one.batch.number, one.is_next, one.set_back_ms) for one in set_back] == [
        (0, False, 101),
        (1, True, None),
        (2, True, None),
    ]
    assert [one.is_next for one in new_batches(_batches((0, 1), (1, 2)), {})] == [True, True]
    assert [one.is_next for one in new_batches(_batches((0, 100)), archive)] == [False]


def test_batches_without_times_are_known_by_their_numbers() -> None:
    """Old Spark wrote none."""
    archive: Archive = {}
    _read(archive, (0, None), (1, None))
    assert _read(archive, (0, None), (1, None), (2, None)) == [(0, 2)]


def test_lives_have_a_bound() -> None:
    """Behind it nothing is read, with the file's name."""
    with pytest.raises(SourceError, match="offsets/0: the checkpoint was set back 2048 times"):
        _read({MOST_LIVES - 1: {0: 10}}, (0, 11))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=6))
def test_positions_follow_the_order_of_plans(steps: list[tuple[int, int]]) -> None:
    """However often a checkpoint is set back, what was planned later stands later."""
    archive: Archive = {}
    now, checkpoint, order = 0, dict[int, int](), list[tuple[int, int, int]]()
    for back_to, count in steps:
        checkpoint = {number: at for number, at in checkpoint.items() if number < back_to}
        first = len(checkpoint)
        for number in range(first, first + count):
            now += 1
            checkpoint[number] = now
        order += ((life, number, checkpoint[number]) for life, number in _read(archive, *checkpoint.items()))
    assert [planned_ms for _, _, planned_ms in sorted(order)] == list(range(1, now + 1))
