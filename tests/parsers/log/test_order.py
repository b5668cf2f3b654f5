"""The order of batches: which base offsets can't be right, alone from their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from parsers.log.order import MOST_OFFSETS, SEGMENT_OFFSETS, Batches, OffsetOrder, Row
from tests.parsers.log_writer import Bytes, simple_batch, simple_log

Rows = list[tuple[int, int]]
FULL = -1


def misplaced(order: OffsetOrder, rows: Rows, behind: Rows | None = None, count: int = FULL) -> list[int]:
    """The rows, of batches from first to last offset, that the order takes for misplaced."""
    first, last = np.array(rows, np.int64).reshape(-1, 2).T
    followers = [Row(*row, is_full=True) for row in behind or []]
    return [int(row) for row in np.flatnonzero(order.find_outliers(Batches(first, last, first * 0 + count), followers))]


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([], []),
        ([(0, 4), (5, 5), (9, 12)], []),
        ([(0, 4), (1 << 60, (1 << 60) + 2), (8, 9), (10, 10)], [1]),
        ([(0, 4), (5, 7), (0, 2), (11, 12)], [2]),
        ([(0, 4), (5, 7), (SEGMENT_OFFSETS + 8, SEGMENT_OFFSETS + 8)], [2]),
        ([(0, 4), (5, 7), (SEGMENT_OFFSETS, SEGMENT_OFFSETS + 3)], []),
        ([(1 << 62, 1 << 62), (5, 7), (8, 8)], [0]),
        ([(0, 4), (5, 7), (8, 9), (8, 9), (10, 11)], [3]),
        ([(0, 4), (5, 4 + (1 << 31) - 1), *((at, at) for at in range(6, 40))], [1]),
        ([(0, 4), (5, 5 + MOST_OFFSETS)], [1]),
        ([(0, 4), (500, 504), (505, 509), (5, 9), (10, 14), (15, 19)], [1, 2]),
    ],
)
def test_one_misplaced_batch_costs_itself(rows: Rows, wrong: list[int]) -> None:
    """A base offset that is too high or too low is told apart from those around it; holes are lawful."""
    assert misplaced(OffsetOrder(), rows) == wrong


def test_the_order_goes_on_from_slice_to_slice() -> None:
    """What was read before bounds what may come, and so does the segment's name."""
    order = OffsetOrder(100)
    assert misplaced(order, [(99, 99), (100, 110)]) == [0]
    assert misplaced(order, [(105, 112), (113, 120)]) == [0]


def test_the_last_batch_of_a_slice_is_contradicted_by_those_behind() -> None:
    """Else all of them would be taken for misplaced, one after the other."""
    order = OffsetOrder()
    assert misplaced(order, [(0, 4), (5, 1 << 26)], [(6, 7), (8, 9)], count=5) == [1]
    assert misplaced(order, [(6, 7), (8, 9)]) == []


def test_one_batch_behind_is_enough_against_one_that_claims_more_than_it_holds() -> None:
    """Of two that contradict each other the one that is full is believed."""
    assert misplaced(OffsetOrder(), [(0, 4), (5, 1 << 26)], [(6, 7)], count=5) == [1]
    assert misplaced(OffsetOrder(), [(0, 4), (9, 12)], [(13, 14)], count=2) == []


def test_what_stands_behind_a_slice_is_looked_at_in_the_file() -> None:
    """A few headers, and only where the last batches of the slice leave a gap or claim more than they hold."""
    log = [*simple_log(40), simple_batch(200), simple_batch(80), simple_batch(82)]
    source, end = Bytes(b"".join(log)), len(b"".join(log[:41]))
    first = np.array([*range(0, 80, 2), 200])
    order = OffsetOrder(0, source)
    assert not order.find_strays(Batches(first[:20], first[:20] + 1, first[:20] * 0 + 2), 0).any()
    assert source.reads == []
    assert np.flatnonzero(order.find_strays(Batches(first[20:], first[20:] + 1, first[20:] * 0 + 2), end)).tolist() == [
        20
    ]
    assert len(source.reads) == 1
