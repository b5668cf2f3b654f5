"""Whether the batches of a log stand in the order of their offsets, which no checksum covers.

A base offset lies outside the checksum of its batch, so a flipped bit there is noticed by its neighbours only. The
judgement belongs here; checksums and lengths are judged in `parsers.log.batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.words import Int64Array

SEGMENT_OFFSETS: Final = 1 << 31
"""A segment's indexes count offsets from its name in 31 bits, so that no sound segment holds one beyond."""


class OffsetOrder:
    """The order of one copy of a log, segment after segment, batch after batch."""

    def __init__(self) -> None:
        """Begin before the first segment."""
        self._next = 0
        self._limit = SEGMENT_OFFSETS

    def enter(self, segment_base_offset: int) -> None:
        """Go on with a segment of this name."""
        self._next = max(self._next, segment_base_offset)
        self._limit = segment_base_offset + SEGMENT_OFFSETS

    def misplaced(self, first: Int64Array, last: Int64Array) -> NDArray[np.bool_]:
        """Say which of these batches have a base offset that can't be theirs: too low, or beyond what follows."""
        wrong = np.zeros(len(first), np.bool_)
        if not len(first):
            return wrong
        if first[0] >= self._next and last[-1] < self._limit and (first[1:] > last[:-1]).all():
            self._next = int(last[-1]) + 1
            return wrong
        followers = np.append(first[1:], self._limit)
        for row, (base, end, following) in enumerate(
            zip(first.tolist(), last.tolist(), followers.tolist(), strict=True)
        ):
            wrong[row] = base < self._next or (base >= following >= self._next)
            self._next = self._next if wrong[row] else end + 1
        return wrong
