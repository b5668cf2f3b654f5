"""What is said of members in ZooKeeper is true; it is held against a made-up world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tests.assets.transforms.zookeeper.test_members import replay_store
from tests.assets.transforms.zookeeper_events import ADMIN, STEP, ZooKeeper, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]

CONSUMERS = ("g_a", "g_b")
Event = tuple[str, tuple[Any, ...]]


@dataclass
class World:
    """One group and two consumers: after each transaction who was a member and who owned the partition."""

    events: list[Event] = field(default_factory=list)
    members: list[frozenset[tuple[str, int, int]]] = field(default_factory=list)
    """Consumer, session and the zxid of its node's creation, behind each transaction."""
    owners: list[tuple[str, int, int] | None] = field(default_factory=list)
    is_there: list[bool] = field(default_factory=list)
    """Whether the group's node is."""

    def step(self, name: str, consumer: str) -> None:
        """Do something, if ZooKeeper would; else an admin commits."""
        members, owner, is_there = self._last()
        session = next((session for one, session, _ in members if one == consumer), None)
        own, zxid = owner is not None and owner[1] == session, len(self.events) + 1
        event: Event = ("commit", (7, ADMIN))
        if name == "group" and not members:
            event, is_there = ("group", ("removed" if is_there else "created",)), not is_there
        elif name == "join" and session is None and is_there:
            event, members = ("member", (consumer, 100 + zxid)), members | {(consumer, 100 + zxid, zxid)}
        elif name == "own" and session is not None and owner is None:
            event, owner = ("owner", (consumer, session)), (consumer, session, zxid)
        elif name == "release" and own:
            event, owner = ("owner", (consumer, session, "removed")), None
        elif name in ("closed", "expired") and session is not None:
            event, members = ("end", (session, name)), frozenset(one for one in members if one[1] != session)
            owner = None if own else owner
        elif name == "commit" and session is not None:
            event = ("commit", (7, session))
        self.events.append(event)
        self.members.append(members)
        self.owners.append(owner)
        self.is_there.append(is_there)

    def _last(self) -> tuple[frozenset[tuple[str, int, int]], tuple[str, int, int] | None, bool]:
        return (self.members[-1], self.owners[-1], self.is_there[-1]) if self.events else (frozenset(), None, False)

    def files(self, is_read: Sequence[bool], snapshots: Sequence[tuple[int, int]], first: int) -> ZooKeeper:
        """The transactions that are read from one on, and snapshots, each with when it begins and how long it takes."""
        store, ends_at = ZooKeeper(zxid=first - 1, begin=first), 0
        begins = dict(snapshots)
        for zxid in range(first, len(self.events) + 1):
            name, arguments = self.events[zxid - 1]
            store = getattr(store, name)(*arguments) if is_read[zxid - 1] else store.gap()
            if zxid in begins and zxid >= ends_at:
                ends_at = min(zxid + begins[zxid], len(self.events))
                store = store.snapshot(*self._nodes(zxid, ends_at))
        return store

    def _nodes(self, begin: int, end: int) -> list[Row]:
        """What is in a snapshot: what was there when it began, but for what went until its end."""
        later = range(begin - 1, end)
        group = [present("group", 1)] if all(self.is_there[at] for at in later) else []
        ids = frozenset.intersection(*(self.members[at] for at in later))
        members = [
            present("member", created, member_id=consumer, session_id=session) for consumer, session, created in ids
        ]
        owner = self.owners[begin - 1]
        if owner is None or any(self.owners[at] != owner for at in later):
            return [*group, *members]
        consumer, session, created = owner
        key = {"topic": "t", "partition": 0}
        return [*group, *members, present("owner", created, member_id=consumer, session_id=session, **key)]


STEPS = st.tuples(
    st.sampled_from(["group", "join", "join", "own", "own", "release", "closed", "expired", "commit", "admin"]),
    st.sampled_from(CONSUMERS),
)


@given(
    st.lists(STEPS, min_size=3, max_size=24),
    st.lists(st.integers(0, 9), min_size=25, max_size=25),
    st.lists(st.tuples(st.integers(1, 24), st.integers(0, 6)), max_size=4),
    st.integers(1, 6),
)
def test_nothing_that_is_said_is_wrong(
    steps: list[tuple[str, str]], luck: list[int], snapshots: list[tuple[int, int]], first: int
) -> None:
    """Of states, owners, their ends, and who committed."""
    world = World()
    world.step("group", CONSUMERS[0])
    for step in steps:
        world.step(*step)
    tables = replay_store(world.files([one > 0 for one in luck], snapshots, min(first, len(world.events))))
    for row in tables["internal.recorded_group_states"]:
        if row["is_gap_free"] and row["state"] != "Dead":
            _check_state(world, row)
    for row in tables["core.ownership"]:
        if row["end_reason"] != "unknown":
            assert all(_is_owner(world.owners[at], row["member_id"]) for at in _zxids(world, row))
            assert row["to_log_offset"] is None or not _is_same(world, row)
    for row in tables["core.commits"]:
        at = row["log_offset"] // STEP - 1
        assert row["actor"] != "admin" or not world.members[at]
        assert row["actor"] != "owner" or _is_owner(world.owners[at], row["member_id"])
        assert row["actor"] != "owner" or world.events[at][1][1] == world.owners[at][1]


def _check_state(world: World, row: Row) -> None:
    for at in _zxids(world, row):
        assert row["member_count"] == len(world.members[at])
        assert (row["state"] == "Empty") == (not world.members[at])
        assert row["state"] != "Stable" or world.owners[at]


def _zxids(world: World, row: Row) -> range:
    """The transactions behind which a row holds, from 0."""
    end = len(world.events) if row["to_log_offset"] is None else row["to_log_offset"] // STEP - 1
    return range(row["log_offset"] // STEP - 1, end)


def _is_owner(owner: tuple[str, int, int] | None, member_id: str) -> bool:
    return owner is not None and owner[0] == member_id


def _is_same(world: World, row: Row) -> bool:
    """Whether who owned it before an end still did by the same node."""
    end = row["to_log_offset"] // STEP - 1
    return bool(world.owners[end] == world.owners[end - 1])
