"""Ranges of offsets of partitions: those that are wanted, and those of them that were read.

Put here the arithmetic of ranges. Where a range is read from belongs in `assets.extraction.log_streams`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from parsers.words import Int64Array

NO_END: Final = (1 << 63) - 1
"""The end of a range that reaches as far as its log."""


@dataclass(frozen=True, slots=True, order=True)
class LogRange:
    """The offsets of a partition from `from_offset` on, up to `to_offset` (half-open)."""

    cluster: str
    topic: str
    partition: int
    from_offset: int
    to_offset: int

    @property
    def log(self) -> tuple[str, str, int]:
        """The cluster, topic and partition."""
        return self.cluster, self.topic, self.partition


def merge(ranges: Iterable[LogRange]) -> list[LogRange]:
    """Ranges without an offset in two of them, in order; those that touch become one."""
    merged: list[LogRange] = []
    for one in sorted(ranges):
        last = merged[-1] if merged else None
        if last is not None and last.log == one.log and one.from_offset <= last.to_offset:
            merged[-1] = replace(last, to_offset=max(last.to_offset, one.to_offset))
        else:
            merged.append(one)
    return merged


@dataclass(slots=True)
class Coverage:
    """The offsets of a log of which all that is there was read."""

    _spans: list[tuple[int, int]] = field(default_factory=list)

    def add(self, starts: Int64Array, ends: Int64Array) -> None:
        """Add spans in their order; those that touch are added as one."""
        if not len(starts):
            return
        cuts = np.flatnonzero(starts[1:] > np.maximum.accumulate(ends)[:-1]) + 1
        for low, high in zip([0, *cuts.tolist()], [*cuts.tolist(), len(starts)], strict=True):
            self._append(int(starts[low:high].min()), int(ends[low:high].max()))

    def _append(self, start: int, end: int) -> None:
        last = self._spans[-1] if self._spans else (0, -1)
        if last[0] <= start <= last[1]:
            self._spans[-1] = (last[0], max(last[1], end))
        elif start < end:
            self._spans.append((start, end))

    def within(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The spans between two offsets, in order."""
        cut = ((max(first, begin), min(last, end)) for first, last in self._merged())
        return [(first, last) for first, last in cut if first < last]

    def missing(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The spans between two offsets that were not read; of a log without an end, up to where it was read."""
        for first, last in self.within(begin, end):
            if begin < first:
                yield begin, first
            begin = last
        if begin < end != NO_END:
            yield begin, end

    def _merged(self) -> list[tuple[int, int]]:
        merged: list[tuple[int, int]] = []
        for first, last in sorted(self._spans):
            if merged and first <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        return merged
