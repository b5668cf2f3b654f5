"""The topics and partitions that records assign to members, from lists to rows and back to lists.

Put here how such lists are taken apart, and how a streams group's tasks become partitions. Whose they are, and for how
long, belongs in `members` and `ownership`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.arrays.neighbours import NO_ROW, list_by_owner, take_rows
from assets.catalog.core.groups import ASSIGNED
from assets.transforms.groups.group_kinds import RecordKind

if TYPE_CHECKING:
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

PARTITIONS: Final = pa.list_(pa.int32())


@dataclass(frozen=True)
class Places:
    """Partitions of topics, and which of some numbered owners each row is of; owners ascend."""

    owner: Int64Array
    topic: pa.Array
    topic_id: pa.Array
    partitions: pa.Array

    def as_lists(self, count: int, is_known: pa.Array) -> pa.Array:
        """One list for each of `count` owners, as core has them; NULL where unknown."""
        parts = {"topic": self.topic, "topic_id": self.topic_id, "partitions": self.partitions}
        lists = list_by_owner(self.owner, count, parts).cast(ASSIGNED)
        return pc.if_else(pc.fill_null(is_known, fill_value=False), lists, pa.scalar(None, ASSIGNED))


def flatten(lists: pa.Array) -> tuple[Int64Array, pa.Array]:
    """The elements of lists in one array, and the list that each was in."""
    parents: Int64Array = pc.list_parent_indices(lists).cast(pa.int64()).to_numpy()
    return parents, pc.list_flatten(lists)


def by_topic_id(lists: pa.Array) -> Places:
    """Places as consumer and share groups write them."""
    owner, structs = flatten(lists)
    topic_id = pc.struct_field(structs, "topic_id")
    return Places(owner, pa.nulls(owner.size, pa.string()), topic_id, pc.struct_field(structs, "partitions"))


def by_topic(lists: pa.Array) -> Places:
    """Places as a classic group's leader writes them."""
    owner, structs = flatten(lists)
    topic = pc.struct_field(structs, "topic")
    return Places(owner, topic, pa.nulls(owner.size, pa.string()), pc.struct_field(structs, "partitions"))


def by_task(lists: pa.Array, log: GroupLog, topology: Int64Array) -> tuple[Places, pa.Array]:
    """Tasks of streams groups as the partitions that they read, by the topology of their group; whether that is known.

    A task reads its partition of each topic that its part of the topology begins with.
    """
    owner, structs = flatten(lists)
    tasks = pa.table(
        {
            "topology": pa.array(topology[owner]),
            "subtopology": pc.struct_field(structs, "subtopology_id"),
            "task": pa.array(np.arange(owner.size)),
        }
    )
    read = tasks.join(_sources(log, np.unique(topology)), ["topology", "subtopology"], join_type="inner")
    read = read.sort_by([("task", "ascending"), ("topic", "ascending")])
    task = read["task"].to_numpy()
    partitions = take_rows(pc.struct_field(structs, "partitions"), task)
    is_known = np.ones(len(lists), np.bool_)
    is_known[owner[np.isin(np.arange(owner.size), task, invert=True)]] = False
    places = Places(owner[task], read["topic"].combine_chunks(), pa.nulls(task.size, pa.string()), partitions)
    return places, pc.and_(pa.array(is_known), pc.is_valid(lists))


def _sources(log: GroupLog, rows: Int64Array) -> pa.Table:
    """Topics that subtopologies read: source topics, and repartition topics."""
    rows = rows[rows != NO_ROW]
    lists = pc.struct_field(take_rows(log.values(RecordKind.TOPOLOGY, "streams"), rows), "subtopologies")
    row, parts = flatten(lists)
    source, topics = flatten(pc.struct_field(parts, "source_topics"))
    repartition, infos = flatten(pc.struct_field(parts, "repartition_source_topics"))
    part = np.concatenate([source, repartition])
    return pa.table(
        {
            "topology": pa.array(rows[row[part]]),
            "subtopology": take_rows(pc.struct_field(parts, "subtopology_id"), part),
            "topic": pa.concat_arrays([topics, pc.struct_field(infos, "name")]),
        }
    )


def is_given(lists: pa.Array) -> pa.Array:
    """Where there is a list, even one without elements."""
    return pa.array(flags(pc.is_valid(lists)))
