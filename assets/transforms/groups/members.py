"""The members of groups, with their subscriptions and assignments, and for how long each version was valid.

Put here how records of classic groups and versions of all other members become rows of core.members. How long a member
owned a single partition belongs in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import take_rows
from assets.catalog.core.groups import ASSIGNED, MEMBERS
from assets.transforms.groups.claim_bounds import bounded
from assets.transforms.groups.group_kinds import AWAY, GROUP_TYPES, MEMBER_STATES, RecordKind
from assets.transforms.groups.group_rows import fill_columns, of_log, validity
from assets.transforms.groups.member_versions import Versions, versions
from assets.transforms.groups.partition_lists import by_task, by_topic, by_topic_id, flatten, is_given
from parsers.messages.embedded import open_assignments, open_subscriptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

CONSUMER_PROTOCOL: Final = "consumer"


def members(log: GroupLog) -> pa.Table:
    """Every version of every member, in the order of the log; without partitions where a record has too many."""
    member_versions = versions(log)
    some = {kind: member_versions[log.is_of(kind)[member_versions.row]] for kind in GROUP_TYPES[1:]}
    kinds = [_of_kind(log, own, kind) for kind, own in some.items() if own.row.size]
    return bounded(pa.concat_tables([_of_classic_groups(log), *kinds]).sort_by("log_offset"))


def _of_classic_groups(log: GroupLog) -> pa.Table:
    """The members that a classic group's record lists."""
    states = np.flatnonzero(log.is_about(RecordKind.GROUP) & log.is_of("classic") & log.is_value)
    value = take_rows(log.values(RecordKind.GROUP, "classic"), states)
    parent, member = flatten(pc.struct_field(value, "members"))
    row = states[parent]
    value = take_rows(value, parent)
    is_ours = pc.equal(pc.struct_field(value, "protocol_type"), CONSUMER_PROTOCOL)
    identity = {
        name: pc.struct_field(member, name) for name in ("member_id", "group_instance_id", "client_id", "client_host")
    }
    leader = pc.fill_null(pc.equal(identity["member_id"], pc.struct_field(value, "leader")), fill_value=False)
    blobs = pc.struct_field(member, "assignment")
    assigned = _field(open_assignments, blobs, is_ours, "assigned_partitions")
    is_nothing = pc.and_kleene(is_ours, pc.equal(pc.binary_length(blobs), 0))
    columns = {
        **identity,
        "generation": pc.struct_field(value, "generation"),
        "is_leader": leader,
        "uses_classic_protocol": pa.repeat(pa.scalar(value=True), row.size),
        "session_timeout_ms": pc.struct_field(member, "session_timeout"),
        "rebalance_timeout_ms": _known_numbers(pc.struct_field(member, "rebalance_timeout")),
        **_subscriptions(pc.struct_field(member, "subscription"), is_ours),
        "assigned": by_topic(assigned).as_lists(row.size, pc.or_kleene(is_given(assigned), is_nothing)),
    }
    end = log.next_of_group[row]
    return fill_columns(MEMBERS, of_log(log, row) | validity(log, row, end) | columns)


def _subscriptions(blobs: pa.Array, is_ours: pa.Array) -> dict[str, pa.Array]:
    """The topics and the rack that members sent when they joined."""
    read = open_subscriptions(_ours(blobs, is_ours))
    is_read = read.is_valid()
    return {
        "subscribed_topics": pc.if_else(is_read, pc.struct_field(read, "topics"), None),
        "rack_id": _text_or_null(pc.if_else(is_read, pc.struct_field(read, "rack_id"), pa.scalar(None, pa.string()))),
    }


def _ours(blobs: pa.Array, is_ours: pa.Array) -> pa.Array:
    return pc.if_else(pc.fill_null(is_ours, fill_value=False), blobs, pa.scalar(None, pa.binary()))


def _field(open_blobs: Callable[[pa.Array], pa.StructArray], blobs: pa.Array, is_ours: pa.Array, name: str) -> pa.Array:
    """A field of opened bytes; NULL where they are not a consumer's, or there are none, or they can't be read."""
    read = open_blobs(_ours(blobs, is_ours))
    return pc.if_else(read.is_valid(), pc.struct_field(read, name), None)


def _of_kind(log: GroupLog, member_versions: Versions, kind: str) -> pa.Table:
    """The versions of the members of consumer, share or streams groups."""
    metadata = take_rows(log.values(RecordKind.MEMBER, kind), member_versions.metadata)
    current = take_rows(log.values(RecordKind.CURRENT, kind), member_versions.current)
    target = take_rows(log.values(RecordKind.TARGET, kind), member_versions.target)
    topology = log.last_of_group(RecordKind.TOPOLOGY)[member_versions.row]
    columns = {
        "member_id": log.take("member_id", member_versions.row),
        "generation": _known_numbers(_of(current, "member_epoch")),
        "state": _states(current, kind),
        **{column: _of(metadata, field) for column, field in METADATA.items()},
        "subscribed_regex": _text_or_null(_of(metadata, "subscribed_topic_regex")),
        **_classic_part(metadata),
        "rebalance_timeout_ms": _known_numbers(_of(metadata, "rebalance_timeout_ms")),
        **{column: _lists(_of(current, *fields), log, topology) for column, fields in CURRENT.items()},
        "target": _lists(_of(target, "topic_partitions", "active_tasks"), log, topology),
    }
    times = validity(log, member_versions.start, member_versions.end) | {
        "is_gap_free": pa.array(member_versions.is_gap_free)
    }
    return fill_columns(MEMBERS, of_log(log, member_versions.start) | times | columns)


METADATA: Final = {
    "group_instance_id": "instance_id",
    "client_id": "client_id",
    "client_host": "client_host",
    "rack_id": "rack_id",
    "server_assignor": "server_assignor",
    "subscribed_topics": "subscribed_topic_names",
}
"""Column of core.members -> field of a member's metadata record."""

CURRENT: Final = {
    "assigned": ("assigned_partitions", "active_tasks"),
    "revoking": ("partitions_pending_revocation", "active_tasks_pending_revocation"),
}
"""Column of core.members -> its field in groups that give out partitions, and in those that give out tasks."""


def _of(structs: pa.Array, *names: str) -> pa.Array:
    """The first of these fields that such structs have; nothing but NULL where they have none of them."""
    known = [name for name in names if structs.type.get_field_index(name) >= 0]
    return pc.struct_field(structs, known[0]) if known else pa.nulls(len(structs))


def _lists(lists: pa.Array, log: GroupLog, topology: Int64Array) -> pa.Array:
    """Partitions as core has them, from assignments of partitions or of tasks."""
    if pa.types.is_null(lists.type):
        return pa.nulls(len(lists), ASSIGNED)
    if lists.type.value_type.get_field_index("subtopology_id") < 0:
        return by_topic_id(lists).as_lists(len(lists), is_given(lists))
    places, is_known = by_task(lists, log, topology)
    return places.as_lists(len(lists), is_known)


def _states(current: pa.Array, kind: str) -> pa.Array:
    """The member's state as a word; `away` for a static member that left for a while."""
    words: Mapping[int, str] = MEMBER_STATES[kind]
    numbers = pa.array(list(words), pa.int8())
    state = pa.array(list(words.values())).take(pc.index_in(_of(current, "state"), numbers))
    is_away = pc.equal(_of(current, "member_epoch"), pa.scalar(AWAY, pa.int32()))
    return pc.if_else(pc.fill_null(is_away, fill_value=False), "away", state)


def _classic_part(metadata: pa.Array) -> dict[str, pa.Array]:
    """Columns of members with the classic protocol in a consumer group: those that offer protocols."""
    classic = _of(metadata, "classic_member_metadata")
    if pa.types.is_null(classic.type):
        return {"uses_classic_protocol": pc.if_else(metadata.is_valid(), pa.scalar(value=False), None)}
    offered = pc.fill_null(pc.list_value_length(pc.struct_field(classic, "supported_protocols")), 0)
    is_classic = pc.greater(offered, 0)
    timeout = pc.struct_field(classic, "session_timeout_ms")
    return {
        "uses_classic_protocol": pc.if_else(metadata.is_valid(), is_classic, None),
        "session_timeout_ms": pc.if_else(is_classic, timeout, pa.scalar(None, pa.int32())),
    }


def _text_or_null(texts: pa.Array) -> pa.Array:
    """The texts, NULL for empty ones: clients write either where they have none."""
    return (
        texts if pa.types.is_null(texts.type) else pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    )


def _known_numbers(numbers: pa.Array) -> pa.Array:
    """The numbers, NULL below zero: Kafka writes those for unknown ones."""
    if pa.types.is_null(numbers.type):
        return numbers
    return pc.if_else(pc.greater_equal(numbers, 0), numbers, pa.scalar(None, numbers.type))
