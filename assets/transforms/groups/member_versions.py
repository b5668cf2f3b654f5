"""The versions of members of consumer, share and streams groups: the state after each batch about a member.

Put here which records make up a version, and how long it was valid. Their fields are read in `members`,
`subscriptions` and `ownership`; a classic group's record has all its members in it and needs none of this.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from assets.arrays.neighbours import NO_ROW, at_rows, following
from assets.transforms.groups.group_log import OF_MEMBERS, once

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

FAR = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Versions:
    """Versions of members, in the order of the log, as rows of the log that each depends on; NO_ROW for none."""

    start: Int64Array
    """The first record of the batch about the member; its presence shows that no record before it is missing."""
    row: Int64Array
    """The last one."""
    metadata: Int64Array
    target: Int64Array
    current: Int64Array
    end: Int64Array
    """The record that ended it."""
    oldest: Int64Array
    """The log offset of the oldest record that it depends on."""
    is_gap_free: Mask
    """The log has no gap from there up to its end."""

    def __getitem__(self, some: Mask) -> Versions:
        """Some of them."""
        return Versions(*(getattr(self, part.name)[some] for part in fields(self)))


@once
def versions(log: GroupLog) -> Versions:
    """Every version of every member."""
    is_about = log.is_about(*OF_MEMBERS)
    following_row = following(log.member, is_about)
    is_last = is_about & (at_rows(log.batch, following_row) != log.batch)
    parts = [log.last_record(record_kind) for record_kind in OF_MEMBERS]
    is_there = is_last & ((parts[0] != NO_ROW) | (parts[2] != NO_ROW))
    row = np.flatnonzero(is_there)
    end = sooner(at_rows(log.first_of_batch, following(log.member, is_last)[row]), log.ends_at[row])
    start = log.first_of_batch[row]
    metadata, target, current = (part[row] for part in parts)
    oldest = np.min([at_rows(log.offset, part, FAR) for part in (start, metadata, target, current)], axis=0)
    return Versions(start, row, metadata, target, current, end, oldest, log.is_gap_free(oldest, end))


def sooner(one: Int64Array, other: Int64Array) -> Int64Array:
    """The earlier of two rows, where there is one."""
    sooner = np.minimum(np.where(one == NO_ROW, FAR, one), np.where(other == NO_ROW, FAR, other))
    return np.where(sooner == FAR, NO_ROW, sooner)
