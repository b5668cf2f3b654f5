"""Copies of a log side by side: each step is about the same offsets in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from assets.ingest.comparison.copies import Part, RowStream, side_by_side
from parsers.files.discovery import SegmentFile

if TYPE_CHECKING:
    from collections.abc import Iterator

SEGMENT = SegmentFile("c", 1, "t", 0, 0, "p", 0, 0, None, None, None)


def parts(offsets: list[int], sizes: list[int]) -> Iterator[Part]:
    """One copy with these offsets, in pieces of these sizes and the rest in one."""
    left = np.array(offsets, np.int64)
    for size in [*sizes, len(offsets)]:
        piece, left = left[:size], left[size:]
        if len(piece):
            yield Part(SEGMENT, pa.record_batch({"offset": piece}), piece)


OFFSETS = st.sets(st.integers(0, 40)).map(sorted)
COPIES = st.lists(st.tuples(OFFSETS, st.lists(st.integers(1, 9))), min_size=1, max_size=5)


@given(COPIES)
def test_nothing_is_lost_and_steps_do_not_overlap(copies: list[tuple[list[int], list[int]]]) -> None:
    """Every row of every copy comes once, in order, and no later step has an offset that an earlier one reached."""
    reached, read_offsets = -1, []
    for step in side_by_side([RowStream(min(copy[0], default=0), parts(*copy)) for copy in copies]):
        assert step
        assert all(part.offsets[0] > reached for part in step)
        assert all(part.rows.column(0).to_pylist() == part.offsets.tolist() for part in step)
        reached = max(int(part.offsets[-1]) for part in step)
        read_offsets += [offset for part in step for offset in part.offsets.tolist()]
    assert sorted(read_offsets) == sorted(offset for offsets, _sizes in copies for offset in offsets)


def test_of_segments_that_follow_each_other_one_is_begun_at_a_time() -> None:
    """However many segments a log has; where one reaches beyond the next one's name both are gone over."""
    begun: list[int] = []

    def stream(first: int, end: int) -> Iterator[Part]:
        """The offsets from one to another, one by one; notes that it was begun."""
        begun.append(first)
        yield from parts(list(range(first, end)), [1] * (end - first))

    steps = side_by_side([RowStream(first, stream(first, end)) for first, end in ((0, 3), (3, 8), (6, 9))])
    order = [([int(part.offsets[0]) for part in step], list(begun)) for step in steps]
    assert [offsets for offsets, _begun in order] == [[0], [1], [2], [3], [4], [5], [6, 6], [7, 7], [8]]
    assert [begun for _offsets, begun in order[::3]] == [[0], [0, 3], [0, 3, 6]]
