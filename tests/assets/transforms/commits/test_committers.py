"""Who stood behind a commit: what is concluded from owners and states, and what is left open."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.transforms.coordinator import Coordinator
from assets.transforms.log_chunks import Reader
from assets.transforms.topic_names import external_names
from tests.assets.transforms.made_groups import (
    COMMIT,
    GROUPS,
    SAYINGS,
    T,
    assignment,
    classic,
    current,
    epoch,
    gone,
    logged,
    member,
    row_of,
)
from tests.assets.transforms.offsets_log import ZERO_UUID, records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.transforms.projection import Tables
    from tests.assets.transforms.offsets_log import Row

WHO = ("actor", "generation", "member_id", "group_instance_id", "client_id", "client_host")
UNKNOWN = {"actor": "unknown"} | dict.fromkeys(WHO[1:])
U = "U" * 22
END = 1 << 40


def commit(partition: int = 0, topic_id: str = ZERO_UUID, group: str = "g", **also: object) -> Row:
    """A commit of a partition of t, or what is said."""
    value = {"offset": 1, "topic_id": topic_id}
    return COMMIT | {"partition": partition, "group_id": group, "offset_commit": value, **also}


def sent(producer: int) -> Row:
    """What makes a commit part of a transaction."""
    return {"is_transactional": True, "producer_id": producer, "producer_epoch": 0}


def marker(producer: int, outcome: str = "COMMIT") -> Row:
    """The end of a transaction."""
    return {"is_control": True, "control_type": outcome, **sent(producer)}


def names(topic_id: str, topic: str = "t") -> Row:
    """A record that says what a topic id is called."""
    listed = {"topics": [{"topic_id": topic_id, "topic_name": topic}]}
    return row_of(4, consumer_group_partition_metadata=listed)


def actors(rows: Sequence[Row], *cuts: int, names: Sequence[tuple[str, str]] = ()) -> dict[int, Row]:
    """Who stood behind each commit, by its log offset; cut before some log offsets, with only the memory kept."""
    memory: Tables = {}
    reader = Reader(names=external_names(names))
    by_position: dict[int, Row] = {}
    for low, high in pairwise([0, *sorted(cuts), END]):
        some = [row for row in rows if low <= row["log_offset"] < high]
        coordinator = Coordinator.resume(memory)
        commits = coordinator.replay(reader.chunk(*records(*some)))["core.commits"].to_pylist()
        by_position |= {row["log_offset"]: {name: row[name] for name in WHO} for row in commits}
        memory = coordinator.memory()
    return by_position


def committers(
    *batches: Row | Sequence[Row], columns: Sequence[str] = ("actor", "member_id")
) -> list[tuple[object, ...]]:
    """These columns of each commit, in the order of the log."""
    return [tuple(row[name] for name in columns) for _, row in sorted(actors(logged(*batches)).items())]


def test_an_owner_commits_while_it_owns() -> None:
    """The one at the commit's own place in the log, with all that is known of it, in the group's generation."""
    one = classic(3, {"a-1": assignment(0), "b-1": assignment(1)}, instances={"a-1": "i"})
    other = classic(4, {"b-1": assignment(0, 1)})
    assert committers(one, commit(), commit(1), other, commit(), columns=WHO) == [
        ("owner", 3, "a-1", "i", "a", "/h"),
        ("owner", 3, "b-1", None, "b", "/h"),
        ("owner", 4, "b-1", None, "b", "/h"),
    ]


def test_a_member_that_gave_a_partition_up_is_a_former_owner() -> None:
    """While it is a member and nobody else has the partition; who left the group can't commit any more."""
    given_up = classic(2, {"a": assignment(1), "b": assignment(2)})
    log = [classic(1, {"a": assignment(0, 1), "b": assignment(2)}), given_up, commit(), commit(9)]
    assert committers(*log, columns=("actor", "generation", "member_id")) == [
        ("former_owner", 2, "a"),
        ("unknown", 2, None),
    ]
    assert committers(*log, classic(3, {"b": assignment(2)}), commit())[-1] == ("unknown", None)
    assert committers(*log, classic(3, {"b": assignment(0, 2)}), commit())[-1] == ("owner", "b")
    back = [classic(3, {"b": assignment(2)}), classic(4, {"a": assignment(1)}), commit()]
    assert committers(*log, *back)[-1] == ("unknown", None)


def test_without_members_an_admin_commits() -> None:
    """Who owned the partition before has nothing to do with it."""
    log = [classic(1, {"a": assignment(0)}), classic(2), commit()]
    assert committers(*log, columns=("actor", "generation", "member_id")) == [("admin", 2, None)]


def test_who_commits_more_than_twice_without_members_is_a_program() -> None:
    """In one state of the group, of one partition, with no removal in between, wherever the log is cut."""
    emptied = [classic(1, {"a": assignment(0, 1)}), classic(2)]
    often = [*emptied, commit(), commit(1), commit(), commit(), commit()]
    admin, program = ("admin", None), ("simple_consumer", None)
    assert committers(*often) == [admin, admin, admin, program, program]
    begun_anew = [classic(3, {"a": assignment(0)}), classic(4), commit(), commit()]
    assert committers(*often, *begun_anew)[-2:] == [admin, admin]
    assert committers(*often, commit(offset_commit=None, is_tombstone=True), commit())[-1] == admin
    assert all(actors(logged(*often), cut) == actors(logged(*often)) for cut in range(1, 2 * len(often)))


def test_an_admin_knows_no_epoch() -> None:
    """Who commits one while there are no members has read, in the name of the group."""
    read = {"offset": 1, "topic_id": ZERO_UUID, "leader_epoch": 0}
    log = [classic(1, {"a": assignment(0)}), classic(2), commit(offset_commit=read)]
    assert committers(*log) == [("simple_consumer", None)]


def test_who_reads_names_no_epoch_where_it_read_nothing() -> None:
    """But for another partition in the same request; what another group says in the batch is not its business."""
    read = {"offset": 1, "topic_id": ZERO_UUID, "leader_epoch": 0}
    emptied = [classic(1, {"a": assignment(0, 1)}), classic(2)]
    for group, by in (("g", "simple_consumer"), ("h", "admin")):
        request = [commit(), commit(1, offset_commit=read, group=group)]
        assert committers(*emptied, request)[0] == (by, None)
    assert committers(*emptied, commit(), commit(1, offset_commit=read))[0] == ("admin", None)


def test_who_left_a_group_of_kip_848_commits_as_who_never_was_in_it() -> None:
    """A member that was too slow leaves, and its client commits all the same once nobody is there."""
    read = {"offset": 1, "topic_id": T, "leader_epoch": 0}
    emptied = [[epoch(1), member("a"), current("a", 1, 0)], [*gone("a"), epoch(2)]]
    assert committers(*emptied, commit(offset_commit=read)) == [("unknown", None)]
    assert committers(*emptied, commit()) == [("admin", None)]


def test_of_a_group_of_which_nothing_is_written_who_has_read_is_a_simple_consumer() -> None:
    """Before its first record and after its removal alike; another group is none of its business.

    Who names no epoch may be an admin or a client that knows none.
    """
    for values, by in (({"offset": 1, "leader_epoch": 0}, "simple_consumer"), ({"offset": 1}, "unknown")):
        commits = [commit(offset_commit={"topic_id": ZERO_UUID, **values}, group=one) for one in ("g", "g", "h")]
        log = [commits[0], classic(1, {"a": assignment(0)}), row_of(2), *commits[1:]]
        assert committers(*log) == [(by, None)] * 3
        assert committers(commits[2]) == [(by, None)]


def test_a_transaction_is_told_with_the_owner_at_its_record() -> None:
    """Not at its marker, by which another may own the partition, in another chunk of the log."""
    log = logged(classic(1, {"a": assignment(0)}), commit(**sent(5)), classic(2, {"b": assignment(0)}), marker(5))
    for cuts in ([], [2], [2, 3]):
        row = actors(log, *cuts)[1]
        assert (row["actor"], row["generation"], row["member_id"]) == ("transaction", 1, "a")


def test_a_removal_is_nobodys() -> None:
    """The coordinator writes it, whoever asked it to."""
    removal = COMMIT | {"is_tombstone": True, "offset_commit": None}
    assert committers(classic(1, {"a": assignment(0)}), commit(), removal, columns=WHO)[1] == (None,) * len(WHO)


def test_a_group_that_gives_out_nothing_that_can_be_read_is_left_open() -> None:
    """Its commits are some member's."""
    assert committers(classic(1, {"a": b"\0"}), commit(), columns=("actor", "generation")) == [("unknown", 1)]


def test_an_owner_by_topic_id_is_found_where_the_log_has_said_its_name() -> None:
    """By a record about the group, or by the commit itself; a name that is told later is not known yet."""
    start: list[list[Row]] = [[epoch(2), member("a"), current("a", 7, 0)]]
    owner = ("owner", 7, "a", None, "a", "/h")
    assert committers(*start, names(T), commit(), columns=WHO) == [owner]
    assert committers(*start, commit(0, T), commit(), columns=WHO) == [owner, owner]
    assert committers(*start, commit(), names(T), commit()) == [("unknown", None), ("owner", "a")]
    assert committers(*start, names(T), commit(0, U)) == [("unknown", None)]


@pytest.mark.parametrize("cuts", [(), (3,), (4, 5)])
def test_or_where_a_file_or_a_broker_says_it(cuts: tuple[int, ...]) -> None:
    """Wherever in the log, and whatever the log says of it later; a file that names another topic tells nothing."""
    log = logged([epoch(2), member("a"), current("a", 7, 0)], commit(), names(T), commit())
    assert [row["member_id"] for row in actors(log, *cuts, names=[(T, "t")]).values()] == ["a", "a"]
    assert [row["member_id"] for row in actors(log, *cuts, names=[(U, "t")]).values()] == [None, "a"]


def test_a_member_that_left_a_group_of_the_new_kind_owns_nothing() -> None:
    """And the group is empty then."""
    log: list[Row | list[Row]] = [
        names(T),
        [epoch(1), member("a"), current("a", 1, 0)],
        commit(),
        [*gone("a"), epoch(2)],
        commit(),
    ]
    assert committers(*log) == [("owner", "a"), ("admin", None)]


@pytest.mark.parametrize("lost", range(4))
def test_over_a_hole_nothing_is_concluded(lost: int) -> None:
    """What was lost may have changed everything; a group's next record tells anew who owns."""
    log = logged(
        classic(1, {"a": assignment(0)}),
        commit(),
        commit(1),
        commit(),
        classic(2, {"a": assignment(0)}),
        commit(),
        commit(**sent(5)),
        marker(5),
    )
    with_hole = actors([row for row in log if row["log_offset"] != lost])
    assert all(with_hole[at] == UNKNOWN for at in (1, 2, 3) if lost < at)
    assert [with_hole[at]["actor"] for at in (5, 6)] == ["owner", "transaction"]


def test_a_transaction_over_a_hole_is_one_of_nobody() -> None:
    """The record itself says that it is one."""
    log = logged(classic(1, {"a": assignment(0)}), commit(1), commit(**sent(5)), marker(5))
    assert actors([row for row in log if row["log_offset"] != 1])[2] == UNKNOWN | {"actor": "transaction"}


PARTITIONS = st.integers(0, 2)
IDS = st.sampled_from([ZERO_UUID, T, U])
COMMITS = st.one_of(
    st.builds(lambda some, topic_id, group: [commit(some, topic_id, group)], PARTITIONS, IDS, GROUPS),
    st.builds(lambda some, topic_id, group: [commit(some, topic_id, group, **sent(5))], PARTITIONS, IDS, GROUPS),
    st.builds(lambda outcome: [marker(5, outcome)], st.sampled_from(["COMMIT", "ABORT"])),
    st.builds(lambda some: [commit(some) | {"is_tombstone": True, "offset_commit": None}], PARTITIONS),
    st.just([names(T)]),
)
PEOPLED = st.sampled_from(
    [
        [classic(1, {"a": assignment(0, 1), "b": assignment(2)})],
        [classic(2, {"a": assignment(0), "b": assignment(2)})],
        [classic(3, {"b": assignment(1)})],
        [epoch(1), member("a"), current("a", 1, 0, 1)],
        [current("a", 2, 0)],
        [*gone("a"), epoch(3)],
    ]
)
BATCHES = st.one_of(COMMITS, COMMITS, PEOPLED, SAYINGS)
LOGS = st.lists(BATCHES, min_size=1, max_size=16).map(lambda batches: logged(*batches))


@settings(max_examples=15)
@given(LOGS, st.lists(st.integers(0, 30), min_size=1, max_size=4), st.sets(st.integers(0, 30), max_size=2))
def test_where_the_log_is_cut_into_runs_does_not_matter(log: list[Row], cuts: list[int], lost: set[int]) -> None:
    """Any cutting between batches, with nothing kept but the memory, tells the same of each commit."""
    remainder = [row for row in log if row["log_offset"] not in lost]
    edges = {row["batch_base_offset"] for row in log}
    assert actors(remainder, *edges.intersection(cuts)) == actors(remainder)


@settings(max_examples=15)
@given(LOGS, st.sets(st.integers(0, 30), min_size=1, max_size=5))
def test_what_is_lost_makes_nobody_somebody_else(log: list[Row], lost: set[int]) -> None:
    """Of what is left of a log either the same is told, or less."""
    truth = actors(log)
    for at, row in actors([row for row in log if row["log_offset"] not in lost]).items():
        assert all(row[name] in (truth[at][name], UNKNOWN[name]) for name in WHO if at in truth), (at, row, truth[at])


def test_a_chunk_may_be_larger_than_what_is_opened_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits between the pieces ask in the piece that they stand in."""
    assignments_in_turn = [
        {"a": assignment(0, 1)},
        {"b": assignment(0), "a": assignment(1)},
        {"a": assignment(1), "b": b""},
        {},
    ]
    batches = [
        [classic(number, members), commit(), commit(1)] for number, members in enumerate(assignments_in_turn * 3)
    ]
    log = logged(*(row for batch in batches for row in batch))
    at_once = actors(log)
    assert {row["actor"] for row in at_once.values()} == {"owner", "former_owner", "admin"}
    monkeypatch.setattr("assets.transforms.groups.opened_pieces.PIECE_BYTES", 150)
    assert actors(log) == at_once
