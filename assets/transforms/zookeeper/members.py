"""The projection of core.ownership, core.members and the states of groups from the events of a store in ZooKeeper.

Put here what happens at each event, and what is remembered. The columns of the tables belong in `member_rows`.
"""

from __future__ import annotations

import posixpath
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from assets.catalog.core.groups import MEMBERS
from assets.catalog.core.ownership import OWNERSHIP
from assets.catalog.internal.recorded_group_states import RECORDED_GROUP_STATES
from assets.transforms.zookeeper.coverage import NO_CHAIN, RANGES, Coverage, ranges_of
from assets.transforms.zookeeper.group_states import STATES, GroupState, GroupStates
from assets.transforms.zookeeper.member_rows import member_rows, ownership_rows, state_rows
from assets.transforms.zookeeper.nodes import APPLY, NODES, SNAPSHOTS, UNKNOWN, Node, NodeLife, Nodes
from parsers.zookeeper.positions import PLACE_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.transforms.projection import LogChunk, Tables
    from assets.transforms.zookeeper.nodes import Event

SESSION_ENDS: Final = ("session_closed", "session_expired")
BASES: Final = ("group_created", "group_removed")
COVERAGE, SNAPSHOT_LIST, NODE_LIST, STATE_LIST = "coverage", "snapshots", "nodes", "group_states"
EMPTY_MEMORY: Final = {
    COVERAGE: RANGES.empty_table(),
    SNAPSHOT_LIST: SNAPSHOTS.empty_table(),
    NODE_LIST: NODES.empty_table(),
    STATE_LIST: STATES.empty_table(),
}


class MemberFacts(NamedTuple):
    """What a chunk tells of members, for the actors of its commits."""

    owners: list[NodeLife]
    """Those that owned a partition in it."""
    states: list[GroupState]
    coverage: Coverage


class ZooKeeperMembers:
    """The members of all groups of a store, up to a position."""

    tables: tuple[str, ...] = (OWNERSHIP.full_name, MEMBERS.full_name, RECORDED_GROUP_STATES.full_name)

    def __init__(self, memory: Tables) -> None:
        """Begin with what was remembered."""
        known = {name: memory.get(name, empty).to_pylist() for name, empty in EMPTY_MEMORY.items()}
        self._snapshots = {(row["folder"], row["zxid"]) for row in known[SNAPSHOT_LIST]}
        self._coverage = Coverage([(row["first_zxid"], row["last_zxid"]) for row in known[COVERAGE]], ())
        self._nodes = Nodes([Node(**row) for row in known[NODE_LIST]], self._coverage)
        self._states = GroupStates([GroupState(**row) for row in known[STATE_LIST]], self._coverage)
        self._position = max((row["last_zxid"] for row in known[COVERAGE]), default=0) << PLACE_BITS

    def replay(self, chunk: LogChunk) -> MemberFacts:
        """Take the events of a chunk; `final_rows` has what they ended."""
        events = chunk.events.rows.to_pylist() if chunk.events else []
        runs = ranges_of(chunk.events.runs) if chunk.events else []
        taken = [_snapshot(event) for event in events if event["event"] == "snapshot_taken"]
        zxids = sorted({zxid for _folder, zxid in (*self._snapshots, *taken)})
        self._coverage = Coverage([*self._coverage.ranges, *runs], zxids)
        self._nodes.begin(self._coverage)
        self._states.begin(self._coverage)
        for event in events:
            self._apply(event)
        self._position = chunk.last_offset
        lives = [*self._nodes.ended, *map(NodeLife, self._nodes)]
        states = [*self._states.ended, *self._states.newest.values()]
        return MemberFacts([life for life in lives if life.node.is_owner], states, self._coverage)

    def final_rows(self) -> Tables:
        """The rows that no later event can change."""
        return _rows(self._nodes.ended, self._states.ended)

    def open_rows(self) -> Tables:
        """The nodes that are there, and the newest state of each group, at the end of what was read."""
        lives = [self._open_life(node) for node in self._nodes]
        return _rows(lives, self._states.open_states(self._position))

    def memory(self) -> Tables:
        """The nodes that are there, the newest state of each group, and which transactions were read."""
        newest = dict(sorted(self._snapshots))
        uncovered = {one for one in self._snapshots if self._coverage.chain(one[1] << PLACE_BITS) == NO_CHAIN}
        snapshots = [{"folder": folder, "zxid": zxid} for folder, zxid in sorted({*newest.items(), *uncovered})]
        return {
            COVERAGE: self._coverage.memory(),
            SNAPSHOT_LIST: pa.Table.from_pylist(snapshots, SNAPSHOTS),
            NODE_LIST: pa.Table.from_pylist([asdict(node) for node in self._nodes], NODES),
            STATE_LIST: pa.Table.from_pylist([asdict(one) for one in self._states.newest.values()], STATES),
        }

    def _apply(self, event: Event) -> None:
        name, group_id = event["event"], event["group_id"]
        if name in SESSION_ENDS:
            for of_session in sorted(self._nodes.end_session(event)):
                self._states.rest(of_session, event, self._nodes, is_base=False)
        elif name == "snapshot_taken":
            self._take_snapshot(event)
        elif group_id is not None:
            APPLY.get(name, _nothing)(self._nodes, event)
            is_removed = name == "group_removed"
            self._states.rest(group_id, event, self._nodes, is_base=name in BASES, is_removed=is_removed)

    def _take_snapshot(self, event: Event) -> None:
        """Where all since the snapshot before it was read, all nodes are known: that one had ended when this began."""
        folder, zxid = _snapshot(event)
        before = max((known for where, known in self._snapshots if where == folder and known < zxid), default=None)
        self._snapshots.add((folder, zxid))
        if before is None or not self._coverage.is_whole(before << PLACE_BITS, event["log_offset"]):
            return
        self._nodes.end_stale(event)
        for group_id in sorted(self._states.newest):
            self._states.rest(group_id, event, self._nodes, is_base=True)

    def _open_life(self, node: Node) -> NodeLife:
        is_whole = self._coverage.is_whole(node.confirmed, self._position)
        return NodeLife(node, end_reason=None if is_whole else UNKNOWN)


def _nothing(_nodes: Nodes, _event: Event) -> None:
    """A snapshot has a group: nothing of its members follows."""


def _snapshot(event: Event) -> tuple[str, int]:
    """The folder of a snapshot, which tells its server, and its zxid."""
    return posixpath.dirname(event["source_file"]), event["log_offset"] >> PLACE_BITS


def _rows(lives: Sequence[NodeLife], states: Sequence[GroupState]) -> Tables:
    return {
        OWNERSHIP.full_name: ownership_rows([one for one in lives if one.node.is_owner]),
        MEMBERS.full_name: member_rows([one for one in lives if not one.node.is_owner]),
        RECORDED_GROUP_STATES.full_name: state_rows(states),
    }
