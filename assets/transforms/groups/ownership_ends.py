"""The beginnings and end reasons of ownership, from the records around them.

Put here what is concluded from neighbouring records. The rows of owners are in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.keys import row_keys
from assets.arrays.neighbours import NO_ROW, at_rows, holds, take_rows
from assets.transforms.groups.group_kinds import GROUP_TYPES, RecordKind

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

WORDS: Final = ("revoked", "left_or_expired", "replaced", "removed", "converted", "unknown")
REVOKED, LEFT, REPLACED, REMOVED, CONVERTED, UNKNOWN = range(len(WORDS))


def words(endings_: Int64Array) -> pa.Array:
    """The endings in words; NULL for none."""
    return take_rows(pa.array(WORDS), endings_)


def is_begun(log: GroupLog, members: pa.Table, version: Int64Array) -> Mask:
    """Whether the member surely did not own before what it owns in the first of these versions.

    This holds where the log has no gap from the beginning of the group, where the previous assignment of the group (or
    the member) is known and no gap lies between, and where the member is new.
    """
    row = _row(log, members)[version]
    before = _state_before(log, members)[version]
    is_seen = at_rows(log.offset, before) >= log.since[row]
    last_row = log.last_of_batch[row]
    begun: Mask = log.is_known(last_row) | ((before != NO_ROW) & is_seen) | _is_new(log, last_row)
    return begun


def endings(log: GroupLog, members: pa.Table, version: Int64Array, start: Int64Array, end: Int64Array) -> Int64Array:
    """The end reason of each of these versions at rows of the log; unknown where a gap lies between."""
    follows = _next_version(members)[version]
    is_there = follows != NO_ROW
    is_readable = holds(flags(pc.is_valid(members["assigned"])), follows)  # of lists, each would be copied
    says_end = holds(log.is_about(RecordKind.GROUP), end)
    is_other = at_rows(log.group_type, end) != log.group_type[_row(log, members)[version]]
    rules = (
        ~log.is_gap_free(start, end) | (is_there & ~is_readable),
        is_there,
        holds(log.is_converted, end),
        says_end & is_other,
        says_end & ~holds(log.is_value, end),
        _is_replaced(log, members, version, end),
    )
    return np.select(rules, (UNKNOWN, REVOKED, CONVERTED, CONVERTED, REMOVED, REPLACED), LEFT)


def _row(log: GroupLog, members: pa.Table) -> Int64Array:
    """The record of each version."""
    row: Int64Array = np.searchsorted(log.offset, members["log_offset"].to_numpy())
    return row


def _member(members: pa.Table) -> Int64Array:
    return row_keys(members["group_id"], members["group_type"], members["member_id"])


def _next_version(members: pa.Table) -> Int64Array:
    """The version of the same member that begins where each ends; NO_ROW without one."""
    member = _member(members)
    start = members["log_offset"].to_numpy()
    end = members["to_log_offset"].fill_null(NO_ROW).to_numpy()
    places = row_keys(np.append(member, member), np.append(start, end))
    version_at = np.full(places.max(initial=0) + 1, NO_ROW, np.int64)
    version_at[places[: start.size]] = np.arange(start.size)
    return np.where(end == NO_ROW, NO_ROW, version_at[places[start.size :]])


def _state_before(log: GroupLog, members: pa.Table) -> Int64Array:
    """The record of the previous state: the group's one in a classic group, else the member's own version."""
    row = _row(log, members)
    follows = _next_version(members)
    own = np.full(follows.size, NO_ROW, np.int64)
    own[follows[follows != NO_ROW]] = row[follows != NO_ROW]
    of_group = log.state_before[row]
    is_classic = log.group_type[row] == GROUP_TYPES.index("classic")
    return np.where(is_classic, of_group, own)


def _is_new(log: GroupLog, row: Int64Array) -> Mask:
    """The member has no earlier assignment: the epoch before its first one is 0."""
    current = log.last_record(RecordKind.CURRENT)[row]
    epochs = [
        pc.struct_field(log.values(RecordKind.CURRENT, kind), "previous_member_epoch") for kind in GROUP_TYPES[1:]
    ]
    previous = pc.fill_null(pc.coalesce(*epochs), NO_ROW).cast(pa.int64()).to_numpy()
    is_it: Mask = at_rows(previous, current) == 0
    return is_it


def _is_replaced(log: GroupLog, members: pa.Table, version: Int64Array, end: Int64Array) -> Mask:
    """The batch that ended the version has another member with the same instance id."""
    group, instance = row_keys(members["group_id"]), row_keys(members["group_instance_id"])
    batch = log.batch[_row(log, members)]
    ended = at_rows(log.batch, end)
    places = row_keys(np.append(group, group[version]), np.append(instance, instance[version]), np.append(batch, ended))
    is_static = flags(pc.is_valid(members["group_instance_id"]))
    here, there = places[: group.size][is_static], places[group.size :]
    return np.isin(there, here) & is_static[version]
