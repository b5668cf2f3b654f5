"""How a member came to own a partition, and why it did no longer: what the records around it tell.

Put here what is concluded from neighbouring records. Who owned what is in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import NOBODY, at_rows, holds, numbered, taken, truths
from assets.transforms.groups.group_kinds import GROUP_TYPES, Says

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

WORDS: Final = ("revoked", "left_or_expired", "replaced", "removed", "converted", "unknown")
REVOKED, LEFT, REPLACED, REMOVED, CONVERTED, UNKNOWN = range(len(WORDS))


def words(endings_: Int64Array) -> pa.Array:
    """The endings in words; NULL for none."""
    return taken(pa.array(WORDS), endings_)


def is_begun(log: GroupLog, members: pa.Table, version: Int64Array) -> Mask:
    """Whether the member surely did not own before what it owns in the first of these versions.

    So it is where all of the group was seen from its beginning, where what the group (or the member) was given before
    was seen and nothing unseen lies between, and where the member is new.
    """
    row = _row(log, members)[version]
    before = _state_before(log, members)[version]
    is_seen = at_rows(log.offset, before) >= log.since[row]
    said = log.last_of_batch[row]
    begun: Mask = log.is_known(said) | ((before != NOBODY) & is_seen) | _is_new(log, said)
    return begun


def endings(log: GroupLog, members: pa.Table, version: Int64Array, start: Int64Array, end: Int64Array) -> Int64Array:
    """How the last of these versions ended at rows of the log; unknown where unseen offsets lie between."""
    follows = _next_version(members)[version]
    is_there = follows != NOBODY
    is_readable = truths(pc.is_valid(taken(members["assigned"], follows)))
    says_end = holds(log.says(Says.GROUP), end)
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
    """The record that each version is of."""
    row: Int64Array = np.searchsorted(log.offset, members["log_offset"].to_numpy())
    return row


def _member(members: pa.Table) -> Int64Array:
    return numbered(members["group_id"], members["group_type"], members["member_id"])


def _next_version(members: pa.Table) -> Int64Array:
    """The version of the same member that begins where each ends; NOBODY without one."""
    member = _member(members)
    start = members["log_offset"].to_numpy()
    end = members["to_log_offset"].fill_null(NOBODY).to_numpy()
    places = numbered(np.append(member, member), np.append(start, end))
    version_at = np.full(places.max(initial=0) + 1, NOBODY, np.int64)
    version_at[places[: start.size]] = np.arange(start.size)
    return np.where(end == NOBODY, NOBODY, version_at[places[start.size :]])


def _state_before(log: GroupLog, members: pa.Table) -> Int64Array:
    """The record that says what held before: the group's one in a classic group, else the member's own version."""
    row = _row(log, members)
    follows = _next_version(members)
    own = np.full(follows.size, NOBODY, np.int64)
    own[follows[follows != NOBODY]] = row[follows != NOBODY]
    of_group = log.state_before[row]
    is_classic = log.group_type[row] == GROUP_TYPES.index("classic")
    return np.where(is_classic, of_group, own)


def _is_new(log: GroupLog, row: Int64Array) -> Mask:
    """It was never given anything before: a member's epoch before its first one is 0."""
    current = log.last_said(Says.CURRENT)[row]
    said = [pc.struct_field(log.values(Says.CURRENT, kind), "previous_member_epoch") for kind in GROUP_TYPES[1:]]
    previous = pc.fill_null(pc.coalesce(*said), NOBODY).cast(pa.int64()).to_numpy()
    is_it: Mask = at_rows(previous, current) == 0
    return is_it


def _is_replaced(log: GroupLog, members: pa.Table, version: Int64Array, end: Int64Array) -> Mask:
    """The batch that ended it brings another member with the same instance id."""
    group, instance = numbered(members["group_id"]), numbered(members["group_instance_id"])
    batch = log.batch[_row(log, members)]
    ended = at_rows(log.batch, end)
    places = numbered(np.append(group, group[version]), np.append(instance, instance[version]), np.append(batch, ended))
    is_static = truths(pc.is_valid(members["group_instance_id"]))
    here, there = places[: group.size][is_static], places[group.size :]
    return np.isin(there, here) & is_static[version]
