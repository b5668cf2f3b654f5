"""Ranges of offsets, and the offsets that were read."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assets.extraction.log_ranges import NO_END, Coverage, LogRange, merge

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=8)


def test_ranges_that_overlap_or_touch_are_one() -> None:
    """Each offset of a partition is in one range; those of other partitions stay apart."""
    ranges = [LogRange("c", "t", 0, *span) for span in ((5, 9), (0, 3), (3, 6), (20, 21))]
    other = LogRange("c", "t", 1, 1, 2)
    assert merge([*ranges, other]) == [LogRange("c", "t", 0, 0, 9), LogRange("c", "t", 0, 20, 21), other]


@given(SPANS, st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted))
def test_missing_is_every_offset_that_no_span_has(spans: list[list[int]], wanted: list[int]) -> None:
    """In whatever order spans come, the missing ones are those between."""
    coverage = Coverage()
    for span in spans:
        coverage.add(np.array(span[:1]), np.array(span[1:]))
    missing = {offset for begin, end in coverage.missing(*wanted) for offset in range(begin, end)}
    assert missing == set(range(*wanted)) - {offset for begin, end in spans for offset in range(begin, end)}


def test_a_log_without_an_end_misses_nothing_behind_what_was_read() -> None:
    """Of such a range nobody knows where the log ends."""
    coverage = Coverage()
    coverage.add(np.array([5, 12]), np.array([10, 20]))
    assert list(coverage.missing(0, NO_END)) == [(0, 5), (10, 12)]
