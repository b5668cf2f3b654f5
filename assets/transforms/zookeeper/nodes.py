"""The nodes of members and owners in ZooKeeper, from when to when each was there, event by event.

Put here how an event changes nodes. Which state a group is in belongs in `group_states`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from assets.transforms.zookeeper.coverage import Coverage

    Event = dict[str, Any]

REVOKED, LEFT, EXPIRED, UNKNOWN = "revoked", "left", "expired", "unknown"
SNAPSHOTS: Final = pa.schema([("folder", pa.string()), ("zxid", pa.int64())])
Key = tuple[str, "str | None", "int | None", "str | None"]
"""Group, topic and partition of an owner; group and consumer id of a member."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a member or an owner."""

    is_owner: bool
    group_id: str
    topic: str | None
    partition: int | None
    member_id: str | None
    session_id: int | None
    subscribed_topics: list[str] | None
    log_offset: int
    """The first event that shows it."""
    first_ms: int | None
    created: int | None
    """The position of its creation."""
    confirmed: int
    """The last event that shows it."""

    @property
    def key(self) -> Key:
        """What no two nodes have at a time."""
        return self.group_id, self.topic, self.partition, None if self.is_owner else self.member_id

    @property
    def is_begun(self) -> bool:
        """Whether its creation was read, and so is known when it began."""
        return self.created == self.log_offset


NODES: Final = pa.schema(
    [
        *(("is_owner", pa.bool_()), ("group_id", pa.string()), ("topic", pa.string()), ("partition", pa.int32())),
        *(("member_id", pa.string()), ("session_id", pa.int64()), ("subscribed_topics", pa.list_(pa.string()))),
        *(("log_offset", pa.int64()), ("first_ms", pa.int64()), ("created", pa.int64()), ("confirmed", pa.int64())),
    ]
)
"""What is remembered of a node."""


@dataclass(frozen=True, slots=True)
class NodeLife:
    """A node that is gone, or one that is there."""

    node: Node
    end: int | None = None
    """The first event by which it is gone."""
    end_ms: int | None = None
    end_reason: str | None = None
    """Why it is gone; `unknown` where transactions are missing in between."""


class Nodes:
    """All nodes that are there after the events so far."""

    def __init__(self, nodes: Iterable[Node], coverage: Coverage) -> None:
        """Begin with remembered nodes."""
        self._coverage = coverage
        self.members: Counter[str] = Counter()
        """How many members each group has."""
        self.owners: Counter[str] = Counter()
        """How many partitions of each group are owned."""
        self._by_key: dict[Key, Node] = {}
        self._by_session: dict[int, set[Key]] = defaultdict(set)
        self._by_group: dict[str, set[Key]] = defaultdict(set)
        self.ended: list[NodeLife] = []
        for node in nodes:
            self._add(node)

    def begin(self, coverage: Coverage) -> None:
        """Begin a chunk: what was read by then, and no nodes that are gone yet."""
        self._coverage, self.ended = coverage, []

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the nodes that are there."""
        return iter(self._by_key.values())

    def create(self, event: Event) -> None:
        """A node is created; one that was there before under the same name is not any more."""
        node = _node_of(event, created=event["log_offset"])
        self._end(node.key, event, UNKNOWN)
        self._add(node)

    def confirm(self, event: Event) -> None:
        """A snapshot has a node: the known one, if that was created by the same transaction."""
        node = _node_of(event, created=event["from_log_offset"])
        known = self._by_key.get(node.key)
        if known is not None and known.created == node.created and known.session_id == node.session_id:
            self._by_key[node.key] = replace(known, confirmed=node.log_offset)
            return
        self._end(node.key, event, UNKNOWN)
        self._add(node)

    def remove(self, event: Event) -> None:
        """A node is deleted."""
        self._end(_node_of(event, created=None).key, event, REVOKED)

    def end_session(self, event: Event) -> set[str]:
        """A session ends, and with it its nodes; the groups that had any."""
        keys = self._by_session.get(event["session_id"], set())
        reason = EXPIRED if event["event"] == "session_expired" else LEFT
        groups = {key[0] for key in keys}
        for key in [*keys]:
            self._end(key, event, reason)
        return groups

    def empty_group(self, event: Event) -> None:
        """A group without nodes: those that are known are gone."""
        for key in [*self._by_group.get(event["group_id"], ())]:
            self._end(key, event, UNKNOWN)

    def end_stale(self, event: Event) -> None:
        """End the nodes of which it is not known whether they are there, at an event at which all others are known."""
        for node in [*self]:
            if not self._coverage.is_whole(node.confirmed, event["log_offset"]):
                self._end(node.key, event, UNKNOWN)

    def _add(self, node: Node) -> None:
        self._by_key[node.key] = node
        self._by_group[node.group_id].add(node.key)
        self._counter(node)[node.group_id] += 1
        if node.session_id is not None:
            self._by_session[node.session_id].add(node.key)

    def _counter(self, node: Node) -> Counter[str]:
        return self.owners if node.is_owner else self.members

    def _end(self, key: Key, event: Event, reason: str) -> None:
        node = self._by_key.pop(key, None)
        if node is None:
            return
        _discard(self._by_group, node.group_id, key)
        self._counter(node)[node.group_id] -= 1
        if node.session_id is not None:
            _discard(self._by_session, node.session_id, key)
        is_whole = self._coverage.is_whole(node.confirmed, event["log_offset"])
        if event["log_offset"] > node.log_offset:
            end_reason = reason if is_whole else UNKNOWN
            self.ended.append(NodeLife(node, event["log_offset"], event["timestamp_ms"], end_reason))


def _discard(keys: dict[Any, set[Key]], name: str | int, key: Key) -> None:
    keys[name].discard(key)
    if not keys[name]:
        del keys[name]


def _node_of(event: Event, created: int | None) -> Node:
    """The node of an event."""
    names = ("group_id", "topic", "partition", "member_id", "session_id", "subscribed_topics", "log_offset")
    known = {name: event[name] for name in names}
    is_owner, first_ms = event["topic"] is not None, event["timestamp_ms"]
    return Node(is_owner=is_owner, first_ms=first_ms, created=created, confirmed=event["log_offset"], **known)


APPLY: Final[dict[str, Callable[[Nodes, Event], None]]] = {
    "group_created": Nodes.empty_group,
    "group_removed": Nodes.empty_group,
    "member_created": Nodes.create,
    "member_removed": Nodes.remove,
    "member_present": Nodes.confirm,
    "owner_created": Nodes.create,
    "owner_removed": Nodes.remove,
    "owner_present": Nodes.confirm,
}
"""What the events of a group do."""
