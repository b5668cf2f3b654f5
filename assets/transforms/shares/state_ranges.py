"""The state of a share partition as ranges of offsets, and the change that a record makes to it.

Put here what the share coordinator does with state batches: of two about the same offset the one with the higher
delivery count counts, then the one with the higher state. Which records there are belongs in `share_states`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LARGEST_OFFSET: Final = (1 << 63) - 1
MOST_RANGES: Final = 20_000
"""A broker keeps at most some thousand records in flight; a state with more ranges is no broker's, and is given up."""
TERMINAL: Final = frozenset({2, 4})
"""Acknowledged and archived: such a record is not delivered again."""


class Range(NamedTuple):
    """Offsets from the first up to but not including the end, with their delivery state and count."""

    start: int
    end: int
    state: int
    deliveries: int


class Change(NamedTuple):
    """A range whose state or count changed; before is None where nothing was known or written of it."""

    now: Range
    state_before: int | None
    count_before: int | None


def ranges_of(batches: Iterable[dict[str, int]]) -> list[Range]:
    """The state batches of a record; those that no offset can lie in are left out."""
    ranges = (
        Range(
            one["first_offset"],
            min(one["last_offset"], LARGEST_OFFSET - 1) + 1,
            one["delivery_state"],
            one["delivery_count"],
        )
        for one in batches
    )
    return [one for one in ranges if 0 <= one.start < one.end]


@dataclass(slots=True)
class StateRanges:
    """Ranges in the order of their offsets, none of which overlaps another."""

    ranges: list[Range] = field(default_factory=list)

    def apply(self, batches: Sequence[Range]) -> list[Change]:
        """Take the batches of an update; the changes, in the order of the batches."""
        return [change for batch in batches for change in self._take(batch)]

    def replace(self, batches: Sequence[Range]) -> list[Change]:
        """Take the batches of a snapshot instead of all before; the changes."""
        before, self.ranges = StateRanges(self.ranges), []
        self.apply(batches)
        return [change for one in self.ranges for change in before.differences(one)]

    def differences(self, other: Range) -> Iterator[Change]:
        """Where a range differs from these."""
        for piece, own in self._pieces(other):
            if own is None:
                yield Change(piece, None, None)
            elif (own.state, own.deliveries) != (other.state, other.deliveries):
                yield Change(piece, own.state, own.deliveries)

    def advance(self, start_offset: int) -> int:
        """Forget what lies below a start offset; the number of offsets of these that were at their end."""
        done = sum(
            min(one.end, start_offset) - one.start
            for one in self.ranges
            if one.start < start_offset and one.state in TERMINAL
        )
        self.ranges = [
            one._replace(start=max(one.start, start_offset)) for one in self.ranges if one.end > start_offset
        ]
        return done

    def _take(self, batch: Range) -> list[Change]:
        first, last = self._overlapped(batch)
        changes, new = [], []
        for piece, own in self._pieces(batch):
            is_older = own is not None and (own.deliveries, own.state) >= (batch.deliveries, batch.state)
            new.append(
                piece._replace(state=own.state, deliveries=own.deliveries) if own is not None and is_older else piece
            )
            if not is_older:
                changes.append(Change(piece, own.state if own else None, own.deliveries if own else None))
        overlapped = self.ranges[first:last]
        if overlapped and overlapped[0].start < batch.start:
            new.insert(0, overlapped[0]._replace(end=batch.start))
        if overlapped and overlapped[-1].end > batch.end:
            new.append(overlapped[-1]._replace(start=batch.end))
        self.ranges[first:last] = new
        return changes

    def _overlapped(self, batch: Range) -> tuple[int, int]:
        first = bisect_left(self.ranges, batch.start + 1, key=lambda one: one.end)
        return first, bisect_left(self.ranges, batch.end, lo=first, key=lambda one: one.start)

    def _pieces(self, batch: Range) -> Iterator[tuple[Range, Range | None]]:
        """The batch cut at the ranges that it overlaps, each piece with its range, or None between them."""
        at = batch.start
        first, last = self._overlapped(batch)
        for own in self.ranges[first:last]:
            if at < own.start:
                yield batch._replace(start=at, end=own.start), None
                at = own.start
            end = min(own.end, batch.end)
            yield batch._replace(start=at, end=end), own
            at = end
        if at < batch.end:
            yield batch._replace(start=at), None
