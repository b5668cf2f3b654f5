"""The records about groups of one partition, as arrays of numbers to look rows up by.

Put here what all tables about groups need of a record: its group, its member, its kind, and whether a gap of the log
may lie before it. The tables themselves have modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.keys import row_keys
from assets.arrays.neighbours import NO_ROW, at_rows, before, following, holds, latest, take_rows
from assets.transforms.groups.group_kinds import (
    COLUMN_OF,
    GROUP_TYPE_OF,
    GROUP_TYPES,
    KINDS,
    RECORD_KIND_OF,
    RecordKind,
)
from assets.transforms.projection import WHOLE_SINCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

BORN: Final = "born"
"""Column of remembered records: `GroupLog.born`, which may rest on records that are not remembered."""
LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999: beyond it no engine of ours can hold a timestamp."""
FIRST_GENERATION: Final = 1
"""No group has written anything before it: generations and epochs count from 0 or 1."""
OF_MEMBERS: Final = (RecordKind.MEMBER, RecordKind.TARGET, RecordKind.CURRENT)
OF_GROUPS: Final = (RecordKind.GROUP, RecordKind.TARGET_EPOCH, RecordKind.TOPOLOGY)
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class GroupLog:
    """Records about groups in the order of their log, and how far the log had been read."""

    records: pa.Table
    """The columns of raw.offset_records, `whole_since` and `born`; only records that could be read."""
    whole_since: int
    """From here up to the end of the log there is no gap."""

    @cached_property
    def offset(self) -> Int64Array:
        """Log offset of each record."""
        return self._number("log_offset")

    @cached_property
    def since(self) -> Int64Array:
        """The log offset from which on there is no gap up to each record."""
        return self._number(WHOLE_SINCE)

    @cached_property
    def batch(self) -> Int64Array:
        """The batch of each record: what one request changed is in one batch."""
        return self._number("batch_base_offset")

    @cached_property
    def is_value(self) -> Mask:
        """The record has a value; it is no tombstone."""
        return ~flags(self.records["is_tombstone"])

    @cached_property
    def group(self) -> Int64Array:
        """One number per group."""
        return row_keys(self.records["group_id"])

    @cached_property
    def kind_of_group(self) -> Int64Array:
        """One number per group and kind of group."""
        return row_keys(self.group, self.group_type)

    @cached_property
    def member(self) -> Int64Array:
        """One number per member of a kind of group; records that are about no member share one."""
        return row_keys(self.kind_of_group, self.records["member_id"])

    @cached_property
    def group_type(self) -> Int64Array:
        """The kind of group that has such records, by its place in GROUP_TYPES."""
        return GROUP_TYPE_OF[self._types].astype(np.int64)

    @cached_property
    def at(self) -> pa.Array:
        """When each record was appended."""
        return timestamps(self.records["timestamp_ms"])

    @cached_property
    def first_of_batch(self) -> Int64Array:
        """The first record in the batch of each that is about its member."""
        _, first, own = np.unique(self._in_batch, return_index=True, return_inverse=True)
        return first[own]

    @cached_property
    def last_of_batch(self) -> Int64Array:
        """The last record in the batch of each that is about its member."""
        _, first, own = np.unique(self._in_batch[::-1], return_index=True, return_inverse=True)
        return (own.size - 1 - first[own])[::-1]

    @cached_property
    def _in_batch(self) -> Int64Array:
        is_about = self.is_about(RecordKind.MEMBER, RecordKind.TARGET, RecordKind.CURRENT)
        return row_keys(self.member, self.batch, np.where(is_about, NO_ROW, np.arange(is_about.size)))

    def is_about(self, *record_kinds: RecordKind) -> Mask:
        """The records that are of one of these kinds."""
        mask: Mask = _is_about(record_kinds)[self._types]
        return mask

    def is_of(self, group_type: str) -> Mask:
        """The records that groups of this kind have."""
        mask: Mask = self.group_type == GROUP_TYPES.index(group_type)
        return mask

    def is_gap_free(self, start: Int64Array, end: Int64Array) -> Mask:
        """Whether there is no gap from one log offset up to the record in row `end`, or to the log's end."""
        mask: Mask = at_rows(self.since, end, self.whole_since) <= start
        return mask

    def last_record(self, record_kind: RecordKind) -> Int64Array:
        """For each record the last one of a kind about the same member that is still valid; NO_ROW without one."""
        return self._last_records[record_kind]

    def last_of_group(self, record_kind: RecordKind) -> Int64Array:
        """For each record the last one of a kind about its group that is still valid; NO_ROW without one."""
        return self._last_of_groups[record_kind]

    @cached_property
    def _last_records(self) -> dict[RecordKind, Int64Array]:
        return {
            record_kind: self._if_open(latest(self.member, self.is_about(record_kind))) for record_kind in OF_MEMBERS
        }

    @cached_property
    def _last_of_groups(self) -> dict[RecordKind, Int64Array]:
        return {
            record_kind: self._if_open(latest(self.kind_of_group, self.is_about(record_kind)))
            for record_kind in OF_GROUPS
        }

    def _if_open(self, row: Int64Array) -> Int64Array:
        """The rows that are no tombstone and whose group has not ended since; NO_ROW for others."""
        is_value = holds(self.is_value, row)
        return np.where(is_value & (row > self.ended_by), row, NO_ROW)

    @cached_property
    def is_state(self) -> Mask:
        """The record is about its group as a whole; a tombstone of a former kind does not count."""
        is_about_group = self.is_about(RecordKind.GROUP)
        last = latest(self.group, is_about_group & self.is_value)
        ends = at_rows(self.ends_at, last)
        is_open = (last != NO_ROW) & ((ends == NO_ROW) | (ends > np.arange(last.size)))
        is_stray = ~self.is_value & is_open & (at_rows(self.group_type, last) != self.group_type)
        mask: Mask = is_about_group & ~is_stray
        return mask

    @cached_property
    def next_of_group(self) -> Int64Array:
        """The next record after each that is about its group as a whole, of any kind; NO_ROW without one."""
        return following(self.group, self.is_state)

    @cached_property
    def state_before(self) -> Int64Array:
        """The record before each about its group, as a group of the same kind; NO_ROW after a removal."""
        last = before(self.group, self.is_state)
        is_same = at_rows(self.kind_of_group, last) == self.kind_of_group
        return np.where(is_same & holds(self.is_value, last), last, NO_ROW)

    @cached_property
    def ended_by(self) -> Int64Array:
        """The last record, up to each, that ended its group as a group of its kind; NO_ROW without one."""
        return self._by_group_type(latest)

    @cached_property
    def ends_at(self) -> Int64Array:
        """The first record after each that ends its group as a group of its kind; NO_ROW without one."""
        return self._by_group_type(following)

    def _by_group_type(self, look: Callable[[Int64Array, Mask], Int64Array]) -> Int64Array:
        """Look up ends: a group ends with its tombstone, or with a record of another kind of group under its id."""
        rows = np.full(self.offset.size, NO_ROW, np.int64)
        for number in range(len(GROUP_TYPES)):
            is_own = self.group_type == number
            ends = self.is_about(RecordKind.GROUP) & (is_own != self.is_value)
            rows = np.where(is_own, look(self.group, ends), rows)
        return rows

    @cached_property
    def born(self) -> Int64Array:
        """For each record the log offset at which the life of its group surely began; NO_ROW where it is unknown."""
        begins = self.is_state & self.is_value & (self.state_before == NO_ROW)
        first = latest(self.kind_of_group, begins)
        own = np.where(self.generation <= FIRST_GENERATION, self.offset, NO_ROW)
        remembered = pc.coalesce(self.records[BORN], pa.chunked_array([pa.array(own)]))
        return at_rows(remembered.to_numpy(), np.where(first > self.ended_by, first, NO_ROW))

    @cached_property
    def is_dead(self) -> Mask:
        """The last record about the group as a whole is its tombstone."""
        last = latest(self.kind_of_group, self.is_state)
        return ~holds(self.is_value, last, otherwise=True)

    @cached_property
    def is_converted(self) -> Mask:
        """The same batch has a record that makes the group a group of another kind."""
        is_state = self.is_about(RecordKind.GROUP) & self.is_value
        batch = row_keys(self.group, self.batch)
        kinds = row_keys(batch, self.group_type)
        has_own = np.isin(kinds, kinds[is_state])
        return np.isin(batch, batch[is_state]) & ~has_own

    def is_known(self, rows: Int64Array) -> Mask:
        """Whether the log has no gap from the beginning of a group's life up to a record of it."""
        mask: Mask = (self.since == 0) | ((self.born != NO_ROW) & (self.since <= self.born))
        return mask[rows]

    @cached_property
    def generation(self) -> Int64Array:
        """The generation or epoch in a record about a group; NO_ROW in other records."""
        fields = (("classic", "generation"), ("consumer", "epoch"), ("share", "epoch"), ("streams", "epoch"))
        columns = [pc.struct_field(self.values(RecordKind.GROUP, kind), name) for kind, name in fields]
        numbers: Int64Array = pc.coalesce(*columns, pa.scalar(NO_ROW, pa.int32())).cast(pa.int64()).to_numpy()
        return numbers

    def values(self, record_kind: RecordKind, group_type: str) -> pa.ChunkedArray:
        """The values of the records of one type; NULL for all others."""
        (of,) = (number for number, kind in KINDS.items() if kind == (group_type, record_kind))
        return self.records[COLUMN_OF[of]]

    def take(self, column: str, rows: Int64Array) -> pa.Array:
        """A column of the records, for these rows."""
        return take_rows(self.records[column], rows)

    @cached_property
    def _types(self) -> Int64Array:
        return self._number("record_type")

    def _number(self, column: str) -> Int64Array:
        numbers: Int64Array = self.records[column].cast(pa.int64()).to_numpy()
        return numbers


def once(make: Callable[[GroupLog], Result]) -> Callable[[GroupLog], Result]:
    """Cache a function's result per log, as long as the log exists."""
    results: WeakKeyDictionary[GroupLog, Result] = WeakKeyDictionary()

    @wraps(make)
    def cached(log: GroupLog) -> Result:
        if log not in results:
            results[log] = make(log)
        return results[log]

    return cached


@lru_cache
def _is_about(record_kinds: tuple[RecordKind, ...]) -> Mask:
    """By record type, whether it is of one of these kinds."""
    return np.isin(RECORD_KIND_OF, [kind.name for kind in record_kinds])


def readable(groups: pa.Table) -> pa.Table:
    """The readable records about groups and members."""
    types = pc.is_in(groups["record_type"], pa.array(sorted(KINDS), pa.int16()))
    columns = [COLUMN_OF[number] for number in KINDS]
    is_about = np.logical_or.reduce([flags(pc.is_valid(groups[column])) for column in columns])
    is_read = flags(groups["is_tombstone"]) | is_about
    return groups.filter(pa.array(flags(types) & is_read & flags(pc.is_valid(groups["group_id"]))))


def timestamps(milliseconds: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The instants; NULL for Kafka's -1 and for what no calendar holds (the bytes are a stranger's)."""
    array = milliseconds.combine_chunks() if isinstance(milliseconds, pa.ChunkedArray) else milliseconds
    is_known = pc.and_(pc.greater_equal(array, 0), pc.less_equal(array, LAST_MS))
    known = pc.if_else(is_known, array, pa.scalar(None, pa.int64()))
    return known.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC"))
