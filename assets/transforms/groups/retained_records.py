"""The records about groups that rows may still rest on, as a coordinator would keep them in memory.

Put here what has to be remembered of a log to go on with it. What rows are made of the records is not for here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from assets.arrays.neighbours import NOBODY, at_rows, following
from assets.transforms.groups.group_log import BORN, OF_GROUPS, OF_MEMBERS
from assets.transforms.groups.member_counts import counted_rows
from assets.transforms.groups.member_versions import versions
from assets.transforms.groups.subscriptions import matched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array


def living(log: GroupLog, known_to: int) -> pa.Table:
    """The records from `known_to` on, and those before that hold then or were ended since."""
    if not log.records.num_rows:
        return log.records
    keeps = log.offset >= known_to
    for rows in (*_of_members(log, known_to), *_of_groups(log, known_to)):
        keeps[rows[rows != NOBODY]] = True
    names = log.records.column_names
    births = log.records.set_column(names.index(BORN), BORN, pa.array(log.born))
    return births.filter(pa.array(keeps))


def _of_members(log: GroupLog, known_to: int) -> Iterator[Int64Array]:
    """What the versions of members rest on that stand, and what is said of those who are not there yet."""
    found = versions(log)
    standing = found[_stands(log, found.end, known_to)]
    yield from (standing.start, standing.row, standing.metadata, standing.target, standing.current)
    is_about = log.says(*OF_MEMBERS)
    lasts = np.flatnonzero(is_about & (following(log.member, is_about) == NOBODY) & (log.ends_at == NOBODY))
    for what in OF_MEMBERS:
        yield log.last_said(what)[lasts]


def _of_groups(log: GroupLog, known_to: int) -> Iterator[Int64Array]:
    """What is said of groups as a whole, and the records by which they were last counted."""
    generations = np.flatnonzero(log.is_state & log.is_value & _stands(log, log.next_of_group, known_to))
    yield generations
    row, end = matched(log)
    yield row[_stands(log, end, known_to)]
    rows = counted_rows(log)
    is_counted = np.zeros(log.offset.size, np.bool_)
    is_counted[rows] = True
    standing = rows[_stands(log, following(log.group, is_counted)[rows], known_to) & ~log.is_dead[rows]]
    yield standing
    lasts = np.flatnonzero((following(log.kind_of_group, log.offset >= 0) == NOBODY) & (log.ends_at == NOBODY))
    for what in OF_GROUPS:
        yield from (log.last_of_group(what)[standing], log.last_of_group(what)[lasts])


def _stands(log: GroupLog, end: Int64Array, known_to: int) -> Mask:
    """It has no end, or none before `known_to`."""
    stands: Mask = (end == NOBODY) | (at_rows(log.offset, end) >= known_to)
    return stands
