"""The records about groups that rows may still depend on, as a coordinator would hold them in memory.

Put here which records have to be remembered to resume. How rows are made of them belongs in the tables' modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from assets.arrays.neighbours import NO_ROW, at_rows, following
from assets.transforms.groups.group_log import BORN, OF_GROUPS, OF_MEMBERS
from assets.transforms.groups.member_counts import counted_rows
from assets.transforms.groups.member_versions import versions
from assets.transforms.groups.subscriptions import find_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array


def retained_records(log: GroupLog, known_to: int) -> pa.Table:
    """The records from `known_to` on, and those before that are still valid there."""
    if not log.records.num_rows:
        return log.records
    keeps = log.offset >= known_to
    for rows in (*_of_members(log, known_to), *_of_groups(log, known_to)):
        keeps[rows[rows != NO_ROW]] = True
    names = log.records.column_names
    births = log.records.set_column(names.index(BORN), BORN, pa.array(log.born))
    return births.filter(pa.array(keeps))


def _of_members(log: GroupLog, known_to: int) -> Iterator[Int64Array]:
    """Rows of the records that open versions of members depend on, and the last ones about members not there yet."""
    member_versions = versions(log)
    open_versions = member_versions[_is_open(log, member_versions.end, known_to)]
    yield from (
        open_versions.start,
        open_versions.row,
        open_versions.metadata,
        open_versions.target,
        open_versions.current,
    )
    is_about = log.is_about(*OF_MEMBERS)
    lasts = np.flatnonzero(is_about & (following(log.member, is_about) == NO_ROW) & (log.ends_at == NO_ROW))
    for record_kind in OF_MEMBERS:
        yield log.last_record(record_kind)[lasts]


def _of_groups(log: GroupLog, known_to: int) -> Iterator[Int64Array]:
    """Rows of the records about groups as a whole, and of those by which members were last counted."""
    generations = np.flatnonzero(log.is_state & log.is_value & _is_open(log, log.next_of_group, known_to))
    yield generations
    row, end = find_matches(log)
    yield row[_is_open(log, end, known_to)]
    rows = counted_rows(log)
    is_counted = np.zeros(log.offset.size, np.bool_)
    is_counted[rows] = True
    counted = rows[_is_open(log, following(log.group, is_counted)[rows], known_to) & ~log.is_dead[rows]]
    yield counted
    lasts = np.flatnonzero((following(log.kind_of_group, log.offset >= 0) == NO_ROW) & (log.ends_at == NO_ROW))
    for record_kind in OF_GROUPS:
        yield from (log.last_of_group(record_kind)[counted], log.last_of_group(record_kind)[lasts])


def _is_open(log: GroupLog, end: Int64Array, known_to: int) -> Mask:
    """Whether a row has no end before `known_to`."""
    is_open: Mask = (end == NO_ROW) | (at_rows(log.offset, end) >= known_to)
    return is_open
