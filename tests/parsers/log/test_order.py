"""The order of batches: which base offsets can't be right, alone from their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from parsers.log.order import SEGMENT_OFFSETS, OffsetOrder

Rows = list[tuple[int, int]]


def misplaced(order: OffsetOrder, rows: Rows) -> list[int]:
    """The rows, of batches from first to last offset, that the order takes for misplaced."""
    first, last = np.array(rows, np.int64).reshape(-1, 2).T
    return [int(row) for row in np.flatnonzero(order.misplaced(first, last))]


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([], []),
        ([(0, 4), (5, 5), (9, 12)], []),
        ([(0, 4), (1 << 60, (1 << 60) + 2), (8, 9), (10, 10)], [1]),
        ([(0, 4), (5, 7), (0, 2), (11, 12)], [2]),
        ([(0, 4), (5, 7), (SEGMENT_OFFSETS, SEGMENT_OFFSETS + 3)], [2]),
        ([(1 << 62, 1 << 62), (5, 7), (8, 8)], [0]),
        ([(0, 4), (5, 7), (8, 9), (8, 9), (10, 11)], [2]),
    ],
)
def test_one_misplaced_batch_costs_itself(rows: Rows, wrong: list[int]) -> None:
    """A base offset that is too high or too low is told apart from those around it; holes are lawful."""
    assert misplaced(OffsetOrder(), rows) == wrong


def test_the_order_goes_on_from_slice_to_slice_and_segment_to_segment() -> None:
    """What was read before bounds what may come, and a segment's name bounds it too."""
    order = OffsetOrder()
    order.enter(100)
    assert misplaced(order, [(99, 99), (100, 110)]) == [0]
    assert misplaced(order, [(105, 112), (113, 120)]) == [0]
    order.enter(200)
    assert misplaced(order, [(121, 130), (200, 230)]) == [0]
