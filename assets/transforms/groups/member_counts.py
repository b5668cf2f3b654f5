"""The number of members and the state of a group, after each batch with records about it.

Put here what follows from all members together. What concerns a single member belongs in `members`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from assets.arrays.keys import row_keys
from assets.arrays.neighbours import NO_ROW, at_rows, following, latest
from assets.transforms.groups.group_kinds import GROUP_TYPES, MEMBER_STATES, RecordKind
from assets.transforms.groups.group_log import once
from assets.transforms.groups.member_versions import versions

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from assets.transforms.groups.member_versions import Versions
    from parsers.words import Int64Array

ABOUT_GROUPS = (RecordKind.GROUP, RecordKind.TARGET_EPOCH, RecordKind.MEMBER, RecordKind.TARGET, RecordKind.CURRENT)
UNKNOWN, EMPTY, STABLE, ASSIGNING, RECONCILING, DEAD = range(-1, 5)
STATES = ("Empty", "Stable", "Assigning", "Reconciling", "Dead")
"""As coordinators call them."""


@dataclass(frozen=True)
class MemberCounts:
    """Groups as of the end of batches: the last record about each, and what follows from all records before."""

    row: Int64Array
    generation: Int64Array
    assignment_epoch: Int64Array
    member_count: Int64Array
    state: Int64Array

    def __getitem__(self, some: Mask) -> MemberCounts:
        """Some of them."""
        parts = (self.row, self.generation, self.assignment_epoch, self.member_count, self.state)
        return MemberCounts(*(part[some] for part in parts))


@once
def count_members(log: GroupLog) -> MemberCounts:
    """One count per group and batch, in the order of the log."""
    row = counted_rows(log)
    generation = at_rows(log.generation, log.last_of_group(RecordKind.GROUP)[row])
    epoch = at_rows(
        _number(log, RecordKind.TARGET_EPOCH, "assignment_epoch"), log.last_of_group(RecordKind.TARGET_EPOCH)[row]
    )
    present, stable = _count_members(log, row, epoch)
    listed = at_rows(listed_members(log), log.last_of_group(RecordKind.GROUP)[row])
    is_classic = log.is_of("classic")[row]
    count = np.where(is_classic, listed, np.where(log.is_known(row), present, NO_ROW))
    has_epochs = (log.is_of("consumer") | log.is_of("streams"))[row]
    rules = (
        log.is_dead[row],
        count == NO_ROW,
        count == 0,
        has_epochs & (generation > epoch),
        has_epochs & (stable < count),
    )
    state = np.select(rules, (DEAD, UNKNOWN, EMPTY, ASSIGNING, RECONCILING), STABLE)
    return MemberCounts(row, generation, epoch, np.where(state == DEAD, NO_ROW, count), state)


@once
def counted_rows(log: GroupLog) -> Int64Array:
    """The last record of each batch about each group that exists or was removed in it, except conversions."""
    is_about = log.is_about(*ABOUT_GROUPS)
    follows = following(log.kind_of_group, is_about)
    is_last = is_about & (at_rows(log.batch, follows) != log.batch)
    last_state = latest(log.kind_of_group, log.is_state)
    has_died = log.is_dead & (at_rows(log.batch, last_state) == log.batch) & ~log.is_converted
    return np.flatnonzero(is_last & ((log.last_of_group(RecordKind.GROUP) != NO_ROW) | has_died))


def _count_members(log: GroupLog, row: Int64Array, epoch: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The number of members at each row, and of those among them that own all of their target up to an epoch."""
    member_versions = versions(log)
    present = _count_open(log.kind_of_group[row], row, log.kind_of_group, member_versions)
    stable = member_versions[_is_stable(log, member_versions.current)]
    member_epoch = at_rows(_number(log, RecordKind.CURRENT, "member_epoch"), stable.current)
    groups = np.append(log.kind_of_group[row], log.kind_of_group[stable.row])
    keys = row_keys(groups, np.append(epoch, member_epoch))
    of_row = np.zeros(log.offset.size, np.int64)
    of_row[stable.row] = keys[row.size :]
    return present, _count_open(keys[: row.size], row, of_row, stable)


def _count_open(keys: Int64Array, rows: Int64Array, key_of_row: Int64Array, member_versions: Versions) -> Int64Array:
    """The number of open versions with the same key at each row."""
    size = key_of_row.size + 1
    own, has_end = key_of_row[member_versions.row], member_versions.end != NO_ROW
    begun, ended = np.sort(own * size + member_versions.row), np.sort((own * size + member_versions.end)[has_end])
    return _between(begun, keys * size, rows) - _between(ended, keys * size, rows)


def _between(places: Int64Array, low: Int64Array, rows: Int64Array) -> Int64Array:
    count: Int64Array = np.searchsorted(places, low + rows, side="right") - np.searchsorted(places, low, side="left")
    return count


def _is_stable(log: GroupLog, current: Int64Array) -> Mask:
    """The member owns all of its target assignment at its epoch."""
    stable = np.array([0, *(next(iter(words)) for words in MEMBER_STATES.values())])
    state = _number(log, RecordKind.CURRENT, "state")
    kind = at_rows(log.group_type, current, 0)
    is_it: Mask = at_rows(state, current) == stable[kind]
    return is_it


def _number(log: GroupLog, record_kind: RecordKind, name: str) -> Int64Array:
    """A number field of the records of this kind; NO_ROW without one."""
    columns = [pc.struct_field(log.values(record_kind, kind), name) for kind in GROUP_TYPES[1:]]
    numbers: Int64Array = pc.fill_null(pc.coalesce(*columns), NO_ROW).cast("int64").to_numpy()
    return numbers


@once
def listed_members(log: GroupLog) -> Int64Array:
    """The number of members in a classic group's record."""
    lengths = pc.list_value_length(pc.struct_field(log.values(RecordKind.GROUP, "classic"), "members"))
    numbers: Int64Array = pc.fill_null(lengths, NO_ROW).cast("int64").to_numpy()
    return numbers
