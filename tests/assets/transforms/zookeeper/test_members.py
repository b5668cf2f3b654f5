"""Who was a member and who owned what in ZooKeeper: known where all was read, NULL behind gaps, never guessed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from assets.transforms.commits.store_commits import StoreCommits
from assets.transforms.log_chunks import Reader
from tests.assets.transforms.zookeeper_events import ADMIN, STEP, A, B, ZooKeeper, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]

OWNED = ZooKeeper().group().member("g_a", A).owner("g_a", A)
"""A group with one consumer, which owns a partition."""


def replay_store(store: ZooKeeper, cuts: Sequence[int] = ()) -> dict[str, list[Row]]:
    """What a replay makes of a store that is cut in chunks, with its memory taken from one to the next."""
    projection, reader = StoreCommits.resume({}), Reader()
    rows: dict[str, list[Row]] = {name: [] for name in StoreCommits.tables}
    for low, high in pairwise(sorted({0, *cuts, (store.zxid + 1) * STEP})):
        chunk = store.chunk(reader, low, high) if _has_rows(store, low, high) else None
        for name, produced in (projection.replay(chunk) if chunk else {}).items():
            rows[name] += produced.to_pylist()
        projection = StoreCommits.resume(projection.memory())
    last = StoreCommits.resume(projection.memory())
    for name, produced in last.open_rows().items():
        rows[name] += produced.to_pylist()
    return {name: sorted(some, key=repr) for name, some in rows.items()}


def _has_rows(store: ZooKeeper, low: int, high: int) -> bool:
    ends = [end * STEP + STEP - 1 for _, end in (*store.runs, (store.begin, store.zxid))]
    return any(low <= at < high for at in (*ends, *(row["log_offset"] for row in (*store.events, *store.commits))))


def owners(store: ZooKeeper) -> list[tuple[Any, ...]]:
    """Owner, partition, zxid of beginning and end, and why it ended."""
    rows = sorted(replay_store(store)["core.ownership"], key=lambda row: row["log_offset"])
    return [
        (row["member_id"], row["partition"], row["log_offset"] // STEP, _zxid(row["to_log_offset"]), row["end_reason"])
        for row in rows
    ]


def states(store: ZooKeeper) -> list[tuple[Any, ...]]:
    """Zxid, state, members, and whether nothing is missing."""
    rows = sorted(replay_store(store)["internal.recorded_group_states"], key=lambda row: row["log_offset"])
    return [(row["log_offset"] // STEP, row["state"], row["member_count"], row["is_gap_free"]) for row in rows]


def actors(store: ZooKeeper) -> list[tuple[str | None, str | None]]:
    """Actor and consumer of each commit."""
    rows = sorted(replay_store(store)["core.commits"], key=lambda row: row["log_offset"])
    return [(row["actor"], row["member_id"]) for row in rows]


def _zxid(position: int | None) -> int | None:
    return None if position is None else position // STEP


def test_a_partition_is_owned_until_its_node_is_deleted_or_the_session_ends() -> None:
    """A session that its client closes is another end than one that expires."""
    store = OWNED.owner("g_a", A, "removed").owner("g_a", A).end(A).member("g_b", B).owner("g_b", B).end(B, "expired")
    assert owners(store) == [("g_a", 0, 3, 4, "revoked"), ("g_a", 0, 5, 6, "left"), ("g_b", 0, 8, 9, "expired")]
    members = replay_store(store)["core.members"]
    assert {(row["member_id"], row["log_offset"] // STEP, row["to_log_offset"] // STEP) for row in members} == {
        ("g_a", 2, 6),
        ("g_b", 7, 9),
    }
    assert {row["group_type"] for row in members} == {"zookeeper"}


def test_a_group_is_empty_without_consumers_and_stable_while_they_own_partitions() -> None:
    """In between nothing says whether each has what it is to own."""
    store = OWNED.owner("g_a", A, "removed").owner("g_a", A).end(A).group("removed")
    assert states(store) == [
        (1, "Empty", 0, True),
        (2, None, 1, True),
        (3, "Stable", 1, True),
        (4, None, 1, True),
        (5, "Stable", 1, True),
        (6, "Empty", 0, True),
        (7, "Dead", None, True),
    ]


def test_a_commit_is_its_owners_only_by_the_session() -> None:
    """Anybody can set any node at any time; while the group is empty that is an admin."""
    store = OWNED.commit(5, A).commit(9, ADMIN).commit(6, A, partition=1).end(A).commit(3, ADMIN)
    assert actors(store) == [("owner", "g_a"), ("unknown", None), ("unknown", None), ("admin", None)]


def test_a_member_that_expired_may_have_read_on() -> None:
    """It may commit before it is a member again, but does not go back."""
    store = OWNED.commit(5, A).end(A, "expired").commit(9, ADMIN).commit(3, ADMIN)
    assert actors(store) == [("owner", "g_a"), ("unknown", None), ("admin", None)]
    again = OWNED.end(A, "expired").member("g_a", B).owner("g_a", B).commit(5, B).end(B).commit(9, ADMIN)
    assert actors(again) == [("owner", "g_a"), ("admin", None)]


def test_behind_a_gap_nothing_is_known_of_what_was_before() -> None:
    """The owner may be another one, and the group may be empty or not."""
    store = OWNED.commit(5, A).gap().commit(7, A)
    assert owners(store) == [("g_a", 0, 3, None, "unknown")]
    assert actors(store) == [("owner", "g_a"), ("unknown", None)]
    assert states(store)[-1] == (3, "Stable", 1, False)
    ended = OWNED.gap().end(A).commit(7, ADMIN)
    assert owners(ended) == [("g_a", 0, 3, None, "unknown")]
    assert states(ended)[-1] == (5, None, None, False)
    assert actors(ended) == [("unknown", None)]


def test_a_log_without_its_beginning_does_not_say_that_a_group_was_empty() -> None:
    """Other consumers may have been there; who is the owner is known all the same."""
    store = ZooKeeper().member("g_a", A).owner("g_a", A).commit(5, A).end(A).commit(3, ADMIN)
    assert states(store) == [(1, None, None, False)]
    assert actors(store) == [("owner", "g_a"), ("unknown", None)]


def test_two_snapshots_of_a_server_tell_who_was_there() -> None:
    """Of one alone it is not known when it was complete: what vanished while it was written is not in it."""
    node = present("group", 1)
    once = ZooKeeper(zxid=7, begin=8).snapshot(node).commit(5, ADMIN).commit(3, ADMIN)
    assert actors(once) == [("unknown", None)] * 2
    twice = ZooKeeper(zxid=7, begin=8).snapshot(node).commit(5, ADMIN).snapshot(node).commit(3, ADMIN)
    assert actors(twice) == [("unknown", None), ("admin", None)]
    other = ZooKeeper(zxid=7, begin=8).snapshot(node).commit(5, ADMIN).snapshot(node, server="z").commit(3, ADMIN)
    assert actors(other) == [("unknown", None)] * 2
    with_gap = ZooKeeper(zxid=7, begin=8).snapshot(node).commit(5, ADMIN).gap().commit(4, ADMIN).snapshot(node)
    assert actors(with_gap.commit(3, ADMIN)) == [("unknown", None)] * 3


def test_a_node_that_a_snapshot_has_was_there_when_it_began() -> None:
    """It is the one that the log created, or another one."""
    id_node = present("member", 2, member_id="g_a", session_id=A)
    node = present("owner", 3, member_id="g_a", session_id=A, topic="t", partition=0)
    assert owners(OWNED.snapshot(id_node, node).end(A)) == [("g_a", 0, 3, 4, "left")]
    assert owners(OWNED.gap().snapshot(id_node, node).commit(5, A).end(A)) == [("g_a", 0, 3, 6, "left")]
    later = ZooKeeper(zxid=7, begin=8).snapshot(id_node, node).commit(5, A).end(A)
    assert owners(later) == [("g_a", 0, 7, 9, "left")]
    assert actors(later) == [("owner", "g_a")]
    (row,) = replay_store(later)["core.ownership"]
    assert (row["from_log_offset"], row["seen_at"]) == (None, None)


def test_an_epoch_follows_the_one_before_unless_a_snapshot_lies_in_between() -> None:
    """A server that missed the end of an epoch begins the next one with a snapshot of its leader's."""
    end = OWNED.commit(5, A)
    epoch = 1 << 32
    read = ((1, end.zxid),)
    later = ZooKeeper(end.events, end.commits, epoch, read, epoch + 1)
    assert actors(later.commit(9, A)) == [("owner", "g_a")] * 2
    missed = ZooKeeper(end.events, end.commits, zxid=end.zxid + 3).snapshot()
    after = ZooKeeper(missed.events, missed.commits, epoch, read, epoch + 1)
    assert actors(after.commit(9, A)) == [("owner", "g_a"), ("unknown", None)]
    skipped = ZooKeeper(end.events, end.commits, 2 * epoch, read, 2 * epoch + 1)
    assert actors(skipped.commit(9, A)) == [("owner", "g_a"), ("unknown", None)]


def test_an_owner_that_its_node_does_not_name_is_nobody() -> None:
    """Its data are no consumer's id; the one before is the owner no longer."""
    store = OWNED.owner("g_a", A, "removed").owner(None, B).commit(5, B)
    assert owners(store) == [("g_a", 0, 3, 4, "revoked")]
    assert actors(store) == [("owner", None)]


STEPS = st.sampled_from(
    [
        lambda store: store.group(),
        lambda store: store.group("removed"),
        lambda store: store.member("g_a", A),
        lambda store: store.member("g_b", B),
        lambda store: store.member("g_a", A, "removed"),
        lambda store: store.owner("g_a", A),
        lambda store: store.owner("g_b", B),
        lambda store: store.owner("g_a", A, "removed"),
        lambda store: store.end(A),
        lambda store: store.end(B, "expired"),
        lambda store: store.commit(5, A),
        lambda store: store.commit(3, ADMIN),
        lambda store: store.gap(),
        lambda store: store.snapshot(present("group", 1)),
        lambda store: store.snapshot(present("member", 2, member_id="g_a", session_id=A)),
    ]
)


@given(st.lists(STEPS, min_size=1, max_size=14), st.lists(st.integers(1, 15), max_size=3))
def test_the_result_does_not_depend_on_where_a_store_is_cut(steps: list[Any], cuts: list[int]) -> None:
    """Whatever a run reads of it; and no two own a partition at a time."""
    store = ZooKeeper()
    for step in steps:
        store = step(store)
    whole = replay_store(store)
    assert replay_store(store, [min(cut, store.zxid) * STEP for cut in cuts]) == whole
    rows = sorted(whole["core.ownership"], key=lambda row: row["log_offset"])
    assert all(one["until_log_offset"] <= other["log_offset"] for one, other in pairwise(rows))
