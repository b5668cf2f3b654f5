"""The partitions that versions of members claim to own, ordered so that a partition has one owner at a time.

Put here how claims are opened, ordered and cut. Which claims make up an owner, and how that ended, is in `ownership`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.keys import row_keys
from assets.arrays.neighbours import NO_ROW, take_rows
from assets.transforms.groups.partition_lists import flatten

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from parsers.words import Int64Array

FAR: Final = np.iinfo(np.int64).max
"""The end of an open row."""
OWNER: Final = ("group_id", "group_type", "topic", "topic_id", "partition", "member_id")
"""A partition in a group, and a member."""


@dataclass(frozen=True)
class Claims:
    """Claims, by place and then in the order of the log."""

    version: Int64Array
    """The row of the member's version."""
    row: Int64Array
    """The row of the table of claimed partitions."""
    place: Int64Array
    owner: Int64Array
    start: Int64Array
    end: Int64Array
    is_revoking: Mask
    is_cut: Mask
    """Another member took the partition before the version ended."""
    remembered: Int64Array
    """The remembered row that continues here; NO_ROW without one."""

    def __getitem__(self, some: Mask | Int64Array) -> Claims:
        """Some of them."""
        return Claims(*(getattr(self, part.name)[some] for part in fields(self)))


def claimed_partitions(members: pa.Table) -> pa.Table:
    """One row per version and partition that it holds, pending revocations included; share groups own nothing."""
    parts = []
    for column, is_revoking in (("assigned", False), ("revoking", True)):
        owns = pc.not_equal(members["group_type"], "share")
        version, topics = flatten(take_rows(members[column], np.where(owns, np.arange(members.num_rows), NO_ROW)))
        entry, partition = flatten(pc.struct_field(topics, "partitions"))
        columns = {name: take_rows(members[name], version[entry]) for name in ("group_id", "group_type", "member_id")}
        columns |= {name: take_rows(pc.struct_field(topics, name), entry) for name in ("topic", "topic_id")}
        flags = {"is_revoking": pa.repeat(pa.scalar(is_revoking), entry.size), "version": version[entry]}
        parts.append(pa.table({**columns, "partition": partition, **flags}))
    return pa.concat_tables(parts)


def claims(members: pa.Table, claimed: pa.Table, remembered: pa.Table, known_to: int) -> Claims:
    """The claims, one owner at a time; before `known_to` only claims of remembered owners count."""
    version = claimed["version"].to_numpy()
    both = pa.concat_tables([claimed.select(OWNER), remembered.select(OWNER).cast(claimed.select(OWNER).schema)])
    place = row_keys(*(both[name] for name in OWNER[:-1]))
    owner = row_keys(place, both["member_id"])
    start = members["log_offset"].to_numpy()[version]
    end = members["to_log_offset"].fill_null(FAR).to_numpy()[version]
    recalled = np.where(start < known_to, _rows_of(owner, version.size)[owner[: version.size]], NO_ROW)
    flag = claimed["is_revoking"].to_numpy()
    row = np.arange(version.size)
    cut = np.zeros(version.size, np.bool_)
    candidates = Claims(version, row, place[row], owner[row], start, end, flag, cut, recalled)
    counts = (start >= known_to) | (recalled != NO_ROW)
    order = np.lexsort((flag, version, start, candidates.place))
    return _one_at_a_time(candidates[order[counts[order]]])


def _rows_of(owner: Int64Array, count: int) -> Int64Array:
    """By owner, the remembered row; remembered rows come after `count` others."""
    rows = np.full(owner.max(initial=0) + 1, NO_ROW, np.int64)
    rows[owner[count:]] = np.arange(owner.size - count)
    return rows


def _one_at_a_time(candidates: Claims) -> Claims:
    """Cut claims: a claim ends the one before it on the same partition; of claims in one record the last holds."""
    next_place, next_start = (np.append(some, np.int64(NO_ROW))[1:] for some in (candidates.place, candidates.start))
    taken_at = np.where(next_place == candidates.place, next_start, FAR)
    cut = replace(candidates, end=np.minimum(candidates.end, taken_at), is_cut=taken_at < candidates.end)
    return cut[cut.start < cut.end]
