"""What versions of members claim to own, a row per partition, put in order so that a place has one owner at a time.

Put here how claims are opened, ordered and cut. Which claims make up an owner, and how that ended, is in `ownership`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import NOBODY, numbered, taken
from assets.transforms.groups.partition_lists import opened

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

FAR: Final = np.iinfo(np.int64).max
"""The end of what still stands."""
OWNER: Final = ("group_id", "group_type", "topic", "topic_id", "partition", "member_id")
"""Who owns what: a place in a group, and a member."""


@dataclass(frozen=True)
class Claims:
    """Claims, by place and then in the order of the log."""

    version: Int64Array
    """The row of the member's version."""
    row: Int64Array
    """The row of the table of places and members that were claimed."""
    place: Int64Array
    owner: Int64Array
    start: Int64Array
    end: Int64Array
    is_revoking: Mask
    is_cut: Mask
    """Another took the partition before the version ended."""
    remembered: Int64Array
    """The row of what was remembered that goes on here; NOBODY where none does."""

    def __getitem__(self, some: Mask | Int64Array) -> Claims:
        """Some of them."""
        return Claims(*(getattr(self, part.name)[some] for part in fields(self)))


def named(members: pa.Table) -> pa.Table:
    """One row per version and partition that it holds, be it about to give it up or not; share groups own nothing."""
    parts = []
    for column, is_revoking in (("assigned", False), ("revoking", True)):
        owns = pc.not_equal(members["group_type"], "share")
        version, topics = opened(taken(members[column], np.where(owns, np.arange(members.num_rows), NOBODY)))
        entry, partition = opened(pc.struct_field(topics, "partitions"))
        columns = {name: taken(members[name], version[entry]) for name in ("group_id", "group_type", "member_id")}
        columns |= {name: taken(pc.struct_field(topics, name), entry) for name in ("topic", "topic_id")}
        flags = {"is_revoking": pa.repeat(pa.scalar(is_revoking), entry.size), "version": version[entry]}
        parts.append(pa.table({**columns, "partition": partition, **flags}))
    return pa.concat_tables(parts)


def claims(members: pa.Table, claimed: pa.Table, remembered: pa.Table, known_to: int) -> Claims:
    """One at a time; of claims from before `known_to` only those of owners that were remembered count."""
    version = claimed["version"].to_numpy()
    both = pa.concat_tables([claimed.select(OWNER), remembered.select(OWNER).cast(claimed.select(OWNER).schema)])
    place = numbered(*(both[name] for name in OWNER[:-1]))
    owner = numbered(place, both["member_id"])
    start = members["log_offset"].to_numpy()[version]
    end = members["to_log_offset"].fill_null(FAR).to_numpy()[version]
    recalled = np.where(start < known_to, _rows_of(owner, version.size)[owner[: version.size]], NOBODY)
    flag = claimed["is_revoking"].to_numpy()
    row = np.arange(version.size)
    cut = np.zeros(version.size, np.bool_)
    found = Claims(version, row, place[row], owner[row], start, end, flag, cut, recalled)
    counts = (start >= known_to) | (recalled != NOBODY)
    order = np.lexsort((flag, version, start, found.place))
    return _one_at_a_time(found[order[counts[order]]])


def _rows_of(owner: Int64Array, count: int) -> Int64Array:
    """By owner, the row of what was remembered, which stands behind `count` others."""
    rows = np.full(owner.max(initial=0) + 1, NOBODY, np.int64)
    rows[owner[count:]] = np.arange(owner.size - count)
    return rows


def _one_at_a_time(found: Claims) -> Claims:
    """Who claims a partition takes it from who has it; of those that claim it in one record the last has it."""
    next_place, next_start = (np.append(some, np.int64(NOBODY))[1:] for some in (found.place, found.start))
    taken_at = np.where(next_place == found.place, next_start, FAR)
    cut = replace(found, end=np.minimum(found.end, taken_at), is_cut=taken_at < found.end)
    return cut[cut.start < cut.end]
