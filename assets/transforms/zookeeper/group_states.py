"""The states of groups in ZooKeeper: Empty while no consumer has a node, Stable while consumers own partitions.

Put here what follows from the nodes of a group together. What an event does to nodes belongs in `nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.transforms.zookeeper.coverage import Coverage
    from assets.transforms.zookeeper.nodes import Event, Nodes

EMPTY, STABLE, DEAD = "Empty", "Stable", "Dead"


@dataclass(frozen=True, slots=True)
class GroupState:
    """A group from one event on, as far as it is known since `base`, an event at which all of its nodes were."""

    group_id: str
    log_offset: int
    from_ms: int | None
    state: str | None
    member_count: int | None
    base: int | None
    has_expired: bool
    """Whether the session of a member expired since the group was Empty before: the member may live on."""
    to_log_offset: int | None = None
    to_ms: int | None = None
    is_whole: bool = False

    @property
    def is_known(self) -> bool:
        """Whether its members are known."""
        return self.member_count is not None


STATES: Final = pa.schema(
    [
        *(("group_id", pa.string()), ("log_offset", pa.int64()), ("from_ms", pa.int64()), ("state", pa.string())),
        *(("member_count", pa.int32()), ("base", pa.int64()), ("has_expired", pa.bool_())),
        *(("to_log_offset", pa.int64()), ("to_ms", pa.int64()), ("is_whole", pa.bool_())),
    ]
)
"""What is remembered of a state."""


class GroupStates:
    """The newest state of each group, and those that ended."""

    def __init__(self, states: Iterable[GroupState], coverage: Coverage) -> None:
        """Begin with remembered states."""
        self._coverage = coverage
        self.newest = {state.group_id: state for state in states}
        self.ended: list[GroupState] = []

    def begin(self, coverage: Coverage) -> None:
        """Begin a chunk: what was read by then, and no states that ended yet."""
        self._coverage, self.ended = coverage, []

    def rest(self, group_id: str, event: Event, nodes: Nodes, *, is_base: bool, is_removed: bool = False) -> None:
        """Take the state of a group behind an event; at a base all of its nodes are known."""
        before = self.newest.get(group_id)
        position = event["log_offset"]
        base = position if is_base else before.base if before else None
        is_known = base is not None and self._coverage.is_whole(base, position)
        count = nodes.members[group_id] if is_known else None
        state = DEAD if is_removed else EMPTY if count == 0 else STABLE if count and nodes.owners[group_id] else None
        has_expired = bool(before and before.has_expired and before.state != EMPTY)
        has_expired |= event["event"] == "session_expired"
        if before is not None and self._goes_on(before, state, count, position):
            self.newest[group_id] = replace(before, base=base, has_expired=before.has_expired or has_expired)
            return
        self._end(before, event)
        now = GroupState(group_id, position, event["timestamp_ms"], state, count, base, has_expired)
        if is_removed:
            self.newest.pop(group_id, None)
            self.ended.append(replace(now, is_whole=True))
        else:
            self.newest[group_id] = now

    def open_states(self, position: int) -> list[GroupState]:
        """The newest state of each group, at the end of what was read."""
        return [replace(state, is_whole=self._is_whole(state, position)) for state in self.newest.values()]

    def _goes_on(self, before: GroupState, state: str | None, count: int | None, position: int) -> bool:
        is_same = (before.state, before.member_count) == (state, count)
        return is_same and (count is None or self._coverage.is_whole(before.log_offset, position))

    def _end(self, before: GroupState | None, event: Event) -> None:
        if before is None:
            return
        end = event["log_offset"]
        is_whole = self._is_whole(before, end)
        self.ended.append(replace(before, to_log_offset=end, to_ms=event["timestamp_ms"], is_whole=is_whole))

    def _is_whole(self, state: GroupState, position: int) -> bool:
        return state.is_known and self._coverage.is_whole(state.log_offset, position)
