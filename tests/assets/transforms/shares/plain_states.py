"""States of share partitions record by record, in plain Python: what the compiled loops have to give as well.

Put here nothing that is fast. Where both differ, what Kafka's share coordinator does decides who is right.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assets.catalog.core.share_groups import DELIVERY_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Row = dict[str, Any]

SHARE_PARTITION: Final = ("cluster", "state_partition", "group_id", "topic_id", "partition")
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


@dataclass(slots=True)
class SharePartition:
    """The state of a share partition after the last record about it, as far as it is known."""

    stretch: int = -1
    is_known: bool = False
    ranges: StateRanges = field(default_factory=StateRanges)
    state_epoch: int | None = None
    leader_epoch: int | None = None
    start_offset: int | None = None

    def take(self, record: Row) -> Row:
        """Apply a record; its row."""
        is_new_epoch = self._begin(record)
        before = None if is_new_epoch or not self.is_known else self.start_offset
        changes, done = self._apply(record)
        self._carry(record)
        start, undelivered = self.start_offset, None
        if before is not None and start is not None and start > before:
            undelivered = max(start - before - done, 0)
        return {
            **record,
            "state_epoch": self.state_epoch,
            "leader_epoch": self.leader_epoch,
            "start_offset": start,
            "previous_start_offset": before,
            "is_new_epoch": is_new_epoch,
            "undelivered_offsets": undelivered,
            "is_gap_free": self.is_known,
            "changes": [_change(one) for one in changes],
        }

    def _begin(self, record: Row) -> bool:
        """Forget what a record does not rest on; whether it begins a new epoch of the state, as a reset does."""
        kind = record["record_kind"]
        is_unbroken = self.is_known and self.stretch == record["stretch"]
        self.is_known = kind in ("snapshot", "tombstone") or (is_unbroken and kind == "update")
        self.stretch = record["stretch"]
        is_new_epoch = kind == "snapshot" and record["state_epoch"] not in (None, self.state_epoch)
        if is_new_epoch or not is_unbroken or kind == "tombstone":
            self.ranges, self.start_offset = StateRanges(), None
        return is_new_epoch

    def _apply(self, record: Row) -> tuple[list[Change], int]:
        """The changes of a record, and how many offsets that its start offset passes were at their end."""
        batches, start, done = ranges_of(record["batches"]), record["start_offset"] or 0, 0
        if record["record_kind"] == "snapshot":
            done = self.ranges.advance(start)
            changes = self.ranges.replace(batches)
        else:
            changes = self.ranges.apply(batches)
            done = self.ranges.advance(start)
        if len(self.ranges.ranges) > MOST_RANGES:
            self.ranges, self.is_known = StateRanges(), False
        return changes, done

    def _carry(self, record: Row) -> None:
        """Take the numbers of a record; an update leaves out what stays."""
        for name in ("state_epoch", "leader_epoch", "start_offset"):
            if record["record_kind"] != "update" or record[name] is not None:
                setattr(self, name, record[name])


def walk(records: Iterable[Row]) -> Iterator[Row]:
    """The rows of the new ones among records, which come in the order of each log."""
    known: dict[tuple[Any, ...], SharePartition] = {}
    for record in records:
        row = known.setdefault(tuple(record[name] for name in SHARE_PARTITION), SharePartition()).take(record)
        if record["is_new"]:
            yield row


def _change(change: Change) -> Row:
    now = change.now
    return {
        "from_offset": now.start,
        "to_offset": now.end,
        "delivery_state": DELIVERY_STATES.get(now.state),
        "delivery_count": now.deliveries,
        "previous_state": DELIVERY_STATES.get(change.state_before) if change.state_before is not None else None,
        "previous_count": change.count_before,
    }
