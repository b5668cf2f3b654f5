"""The records about groups of one partition, as numbers that rows can be found by.

Put here what all tables about groups need of a record: its group, its member, what it says, and whether something
unseen may lie before it. The tables themselves have modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import NOBODY, at_rows, before, following, holds, latest, numbered, taken, truths
from assets.transforms.groups.group_kinds import COLUMN_OF, GROUP_TYPE_OF, GROUP_TYPES, KINDS, SAYS_OF, Says
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
OF_MEMBERS: Final = (Says.MEMBER, Says.TARGET, Says.CURRENT)
OF_GROUPS: Final = (Says.GROUP, Says.TARGET_EPOCH, Says.TOPOLOGY)
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class GroupLog:
    """Records about groups in the order of their log, and how far the log had been read."""

    records: pa.Table
    """The columns of raw.offset_records, `whole_since` and `born`; only records that could be read."""
    whole_since: int
    """From here up to the end of what was read every offset was seen."""

    @cached_property
    def offset(self) -> Int64Array:
        """Log offset of each record."""
        return self._number("log_offset")

    @cached_property
    def since(self) -> Int64Array:
        """From which log offset up to each record every record was seen."""
        return self._number(WHOLE_SINCE)

    @cached_property
    def batch(self) -> Int64Array:
        """The batch of each record: what one request changed is in one batch."""
        return self._number("batch_base_offset")

    @cached_property
    def is_value(self) -> Mask:
        """The record says something; a tombstone takes back what was said."""
        return ~truths(self.records["is_tombstone"])

    @cached_property
    def group(self) -> Int64Array:
        """One number per group."""
        return numbered(self.records["group_id"])

    @cached_property
    def kind_of_group(self) -> Int64Array:
        """One number per group and kind of group."""
        return numbered(self.group, self.group_type)

    @cached_property
    def member(self) -> Int64Array:
        """One number per member of a kind of group; records that are about no member share one."""
        return numbered(self.kind_of_group, self.records["member_id"])

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
        is_about = self.says(Says.MEMBER, Says.TARGET, Says.CURRENT)
        return numbered(self.member, self.batch, np.where(is_about, NOBODY, np.arange(is_about.size)))

    def says(self, *what: Says) -> Mask:
        """The records that are about one of these."""
        mask: Mask = _says(what)[self._types]
        return mask

    def is_of(self, group_type: str) -> Mask:
        """The records that groups of this kind have."""
        mask: Mask = self.group_type == GROUP_TYPES.index(group_type)
        return mask

    def is_gap_free(self, start: Int64Array, end: Int64Array) -> Mask:
        """Whether every offset from one log offset up to the record in row `end`, or to the log's end, was seen."""
        mask: Mask = at_rows(self.since, end, self.whole_since) <= start
        return mask

    def last_said(self, what: Says) -> Int64Array:
        """For each record the one that says this of the same member and still holds; NOBODY where none does."""
        return self._last_said[what]

    def last_of_group(self, what: Says) -> Int64Array:
        """For each record the one that says this of its group and still holds; NOBODY where none does."""
        return self._last_of_group[what]

    @cached_property
    def _last_said(self) -> dict[Says, Int64Array]:
        return {what: self._if_standing(latest(self.member, self.says(what))) for what in OF_MEMBERS}

    @cached_property
    def _last_of_group(self) -> dict[Says, Int64Array]:
        return {what: self._if_standing(latest(self.kind_of_group, self.says(what))) for what in OF_GROUPS}

    def _if_standing(self, row: Int64Array) -> Int64Array:
        """Not if it was taken back, or if its group ended since."""
        is_said = holds(self.is_value, row)
        return np.where(is_said & (row > self.ended_by), row, NOBODY)

    @cached_property
    def is_state(self) -> Mask:
        """The record says something of its group as a whole; the removal of what the group is not any more does not."""
        is_said = self.says(Says.GROUP)
        last = latest(self.group, is_said & self.is_value)
        ends = at_rows(self.ends_at, last)
        stands = (last != NOBODY) & ((ends == NOBODY) | (ends > np.arange(last.size)))
        is_stray = ~self.is_value & stands & (at_rows(self.group_type, last) != self.group_type)
        mask: Mask = is_said & ~is_stray
        return mask

    @cached_property
    def next_of_group(self) -> Int64Array:
        """The next record after each that is about its group as a whole, of any kind; NOBODY without one."""
        return following(self.group, self.is_state)

    @cached_property
    def state_before(self) -> Int64Array:
        """What was said before each record of its group, as a group of the same kind; NOBODY after a removal."""
        last = before(self.group, self.is_state)
        is_same = at_rows(self.kind_of_group, last) == self.kind_of_group
        return np.where(is_same & holds(self.is_value, last), last, NOBODY)

    @cached_property
    def ended_by(self) -> Int64Array:
        """The last record not after each that ended all that was said of groups of its kind; NOBODY without one."""
        return self._by_group_type(latest)

    @cached_property
    def ends_at(self) -> Int64Array:
        """The first record after each that ends all that is said of groups of its kind; NOBODY without one."""
        return self._by_group_type(following)

    def _by_group_type(self, look: Callable[[Int64Array, Mask], Int64Array]) -> Int64Array:
        """A kind of group ends with its own tombstone, or with what a group of another kind says under its id."""
        found = np.full(self.offset.size, NOBODY, np.int64)
        for number in range(len(GROUP_TYPES)):
            is_own = self.group_type == number
            ends = self.says(Says.GROUP) & (is_own != self.is_value)
            found = np.where(is_own, look(self.group, ends), found)
        return found

    @cached_property
    def born(self) -> Int64Array:
        """For each record the log offset at which the life of its group surely began; NOBODY where it is unknown."""
        begins = self.is_state & self.is_value & (self.state_before == NOBODY)
        first = latest(self.kind_of_group, begins)
        own = np.where(self.generation <= FIRST_GENERATION, self.offset, NOBODY)
        remembered = pc.coalesce(self.records[BORN], pa.chunked_array([pa.array(own)]))
        return at_rows(remembered.to_numpy(), np.where(first > self.ended_by, first, NOBODY))

    @cached_property
    def is_dead(self) -> Mask:
        """The last that was said of the group as a whole is its removal."""
        last = latest(self.kind_of_group, self.is_state)
        return ~holds(self.is_value, last, otherwise=True)

    @cached_property
    def is_converted(self) -> Mask:
        """In the same batch something is said of the same group that makes it a group of another kind."""
        is_state = self.says(Says.GROUP) & self.is_value
        batch = numbered(self.group, self.batch)
        kinds = numbered(batch, self.group_type)
        has_own = np.isin(kinds, kinds[is_state])
        return np.isin(batch, batch[is_state]) & ~has_own

    def is_known(self, rows: Int64Array) -> Mask:
        """Whether all that was ever said of a group up to a record of it was seen."""
        mask: Mask = (self.since == 0) | ((self.born != NOBODY) & (self.since <= self.born))
        return mask[rows]

    @cached_property
    def generation(self) -> Int64Array:
        """The generation or epoch that a record about a group says; NOBODY where it is about something else."""
        fields = (("classic", "generation"), ("consumer", "epoch"), ("share", "epoch"), ("streams", "epoch"))
        said = [pc.struct_field(self.values(Says.GROUP, kind), name) for kind, name in fields]
        numbers: Int64Array = pc.coalesce(*said, pa.scalar(NOBODY, pa.int32())).cast(pa.int64()).to_numpy()
        return numbers

    def values(self, what: Says, group_type: str) -> pa.ChunkedArray:
        """What the records of one type say; NULL for all others."""
        (of,) = (number for number, kind in KINDS.items() if kind == (group_type, what))
        return self.records[COLUMN_OF[of]]

    def take(self, column: str, rows: Int64Array) -> pa.Array:
        """A column of the records, for these rows."""
        return taken(self.records[column], rows)

    @cached_property
    def _types(self) -> Int64Array:
        return self._number("record_type")

    def _number(self, column: str) -> Int64Array:
        numbers: Int64Array = self.records[column].cast(pa.int64()).to_numpy()
        return numbers


def once(make: Callable[[GroupLog], Made]) -> Callable[[GroupLog], Made]:
    """Make it for the first who asks of a log, and keep it for the others as long as the log is there."""
    made: WeakKeyDictionary[GroupLog, Made] = WeakKeyDictionary()

    @wraps(make)
    def found(log: GroupLog) -> Made:
        if log not in made:
            made[log] = make(log)
        return made[log]

    return found


@lru_cache
def _says(what: tuple[Says, ...]) -> Mask:
    """By record type, whether it is about one of these."""
    return np.isin(SAYS_OF, [one.name for one in what])


def readable(groups: pa.Table) -> pa.Table:
    """The records that say something about groups and members, and could be read."""
    types = pc.is_in(groups["record_type"], pa.array(sorted(KINDS), pa.int16()))
    columns = [COLUMN_OF[number] for number in KINDS]
    says = np.logical_or.reduce([truths(pc.is_valid(groups[column])) for column in columns])
    is_read = truths(groups["is_tombstone"]) | says
    return groups.filter(pa.array(truths(types) & is_read & truths(pc.is_valid(groups["group_id"]))))


def timestamps(milliseconds: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The instants; NULL for Kafka's -1 and for what no calendar holds (the bytes are a stranger's)."""
    array = milliseconds.combine_chunks() if isinstance(milliseconds, pa.ChunkedArray) else milliseconds
    is_known = pc.and_(pc.greater_equal(array, 0), pc.less_equal(array, LAST_MS))
    known = pc.if_else(is_known, array, pa.scalar(None, pa.int64()))
    return known.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC"))
