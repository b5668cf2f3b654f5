"""Whether the batches of a segment stand in the order of their offsets, which no checksum covers.

A base offset lies outside the checksum of its batch, so a flipped bit there is noticed by its neighbours only. The
judgement belongs here; checksums and lengths are judged in `parsers.log.batches`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.log.batches import HEADER_BYTES, chain
from parsers.log.headers import read_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parsers.sources import ByteSource
    from parsers.words import ByteArray, Int64Array

SEGMENT_OFFSETS: Final = 1 << 31
"""A segment's indexes count offsets from its name in 31 bits: no broker leaves a larger gap inside of one."""
MOST_OFFSETS: Final = 1 << 27
"""No batch spans more: at seven bytes each its records would take a gigabyte."""
FOLLOWERS: Final = 16
"""So many batches bear out, or contradict, the last ones of a slice."""
LOOK_AHEAD_BYTES: Final = 64 << 10
_BATCH: Final = 4
"""What a batch weighs; that it goes on without a gap, and that it holds what it claims, weigh one each."""


class Row(NamedTuple):
    """First and last offset of a batch, and whether it claims as many offsets as records."""

    first: int
    last: int
    is_full: bool


class OffsetOrder:
    """The order of one segment, slice after slice."""

    def __init__(self, segment_base_offset: int = 0, source: ByteSource | None = None) -> None:
        """Begin before the first batch of a segment of this name; in its file the batches behind a slice are seen."""
        self._next, self._source = segment_base_offset, source

    def find_strays(self, batches: Batches, end_position: int) -> NDArray[np.bool_]:
        """Say which of the batches before a position the others contradict, and those behind it."""
        followers = headers_behind(self._source, end_position) if self._source and batches.are_doubtful else ()
        return self.find_outliers(batches, followers)

    def find_outliers(self, batches: Batches, followers: Sequence[Row]) -> NDArray[np.bool_]:
        """Say which batches are left out of the best ascending order of all, and go on behind the others."""
        if batches.follow(self._next) and batches.are_followed_by(followers):
            wrong = np.zeros(len(batches), np.bool_)
        else:
            wrong = _misplaced_rows(batches.rows(), followers, self._next)
        last_offsets = batches.last[~wrong] if wrong.any() else batches.last
        self._next = int(last_offsets[-1]) + 1 if len(last_offsets) else self._next
        return wrong


class Batches:
    """First and last offset of batches, as columns, with the number of their records (-1 where nobody says)."""

    def __init__(self, first: Int64Array, last: Int64Array, record_count: Int64Array) -> None:
        """Take the columns."""
        self.first, self.last, self._is_full = first, last, (record_count < 0) | (record_count == last - first + 1)

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Batches:
        """The columns of rows."""
        first, last, is_full = np.array(rows, np.int64).reshape(-1, 3).T
        return cls(first, last, np.where(is_full, -1, 0))

    def __len__(self) -> int:
        """Give the number of batches."""
        return len(self.first)

    @property
    def are_doubtful(self) -> bool:
        """Say whether batches behind may contradict them: the last of them leave gaps, or claim more than they hold."""
        if len(self) <= FOLLOWERS:
            return len(self) > 0
        gaps = self.first[-FOLLOWERS:] != self.last[-FOLLOWERS - 1 : -1] + 1
        return bool(gaps.any() or not self._is_full[-FOLLOWERS:].all())

    def follow(self, offset: int) -> bool:
        """Say whether all of them ascend from an offset, without a gap or a span that no segment has."""
        before = np.concatenate([[offset - 1], self.last[:-1]])
        steps = self.first - before
        is_near = bool((steps > 0).all() and (steps <= SEGMENT_OFFSETS).all())
        return is_near and bool((self.last - self.first < MOST_OFFSETS).all())

    def are_followed_by(self, followers: Sequence[Row]) -> bool:
        """Say whether the first batch behind them is not below their last."""
        return not followers or not len(self) or followers[0].first > int(self.last[-1])

    def rows(self) -> list[Row]:
        """One row per batch."""
        return [Row(*row) for row in zip(self.first.tolist(), self.last.tolist(), self._is_full.tolist(), strict=True)]


def headers_behind(source: ByteSource, position: int) -> list[Row]:
    """The batches that begin at a position of a file, by their headers: a few, as far as their chain is whole."""
    rows: list[Row] = []
    while len(rows) < FOLLOWERS and position < source.size_bytes:
        buffer = source.read(position, HEADER_BYTES if rows else LOOK_AHEAD_BYTES)
        bounds = chain(buffer, len(buffer), source.size_bytes - position)
        if len(bounds) == 1:
            break
        rows += _rows(buffer, bounds[:-1][:FOLLOWERS])
        position += int(bounds[-1])
    return rows


def _rows(buffer: ByteArray, starts: Int64Array) -> list[Row]:
    fields = read_headers(buffer, starts)
    columns = (fields[name].tolist() for name in ("base_offset", "last_offset_delta", "record_count"))
    return [Row(first, first + delta, count in {-1, delta + 1}) for first, delta, count in zip(*columns, strict=True)]


class _Chains:
    """The best ascending chains of batches so far, by where they end: only a weightier one may end further on."""

    def __init__(self, before: int) -> None:
        self._ends, self._weights, self._numbers = [before], [0], [-1]
        self._previous: list[int] = []

    def add(self, row: Row) -> None:
        """Append a batch to the best chain that it may follow; of two as good the one that ends first stays."""
        number, at = len(self._previous), bisect_left(self._ends, row.first) - 1
        self._previous.append(self._numbers[at] if at >= 0 else -1)
        if at < 0 or not _is_lawful(row, self._ends[at]):
            return
        weight = self._weights[at] + _BATCH + (row.first == self._ends[at] + 1) + row.is_full
        if self._weights[bisect_right(self._ends, row.last) - 1] >= weight:
            return
        start = bisect_left(self._ends, row.last)
        stop = bisect_right(self._weights, weight, lo=start)
        self._ends[start:stop], self._weights[start:stop], self._numbers[start:stop] = [row.last], [weight], [number]

    def best(self) -> set[int]:
        """The batches of the weightiest chain."""
        chain, number = set[int](), self._numbers[-1]
        while number >= 0:
            chain.add(number)
            number = self._previous[number]
        return chain


def _is_lawful(row: Row, before: int) -> bool:
    """Say whether a batch may stand behind an offset in one segment."""
    return row.first - before <= SEGMENT_OFFSETS and row.last - row.first < MOST_OFFSETS


def _misplaced_rows(rows: Sequence[Row], followers: Sequence[Row], begin: int) -> NDArray[np.bool_]:
    """Which of the rows are not in the best ascending chain of them and their followers."""
    chains = _Chains(begin - 1)
    for row in (*rows, *followers):
        chains.add(row)
    best = chains.best()
    return np.array([number not in best for number in range(len(rows))], np.bool_)
