"""Generations, members and states of groups of every kind, made chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from assets.catalog import TABLES
from assets.transforms.coordinator import Coordinator
from assets.transforms.log_chunks import Reader
from tests.assets.transforms.made_groups import (
    COMMIT,
    T,
    assignment,
    classic,
    current,
    epoch,
    gone,
    holed_logs,
    logged,
    member,
    replayed,
    revoking,
    row_of,
    target,
    target_epoch,
)
from tests.assets.transforms.offsets_log import records

if TYPE_CHECKING:
    import pytest

    from tests.assets.transforms.offsets_log import Row

SUBSCRIBED_T = bytes.fromhex("000000000001000174ffffffff")


def generations(rows: list[Row]) -> list[Row]:
    """The rows of core.generations that a log gives."""
    return replayed(rows)["core.generations"]


def members(rows: list[Row]) -> list[Row]:
    """The rows of core.members that a log gives."""
    return replayed(rows)["core.members"]


def states(rows: list[Row]) -> list[tuple[object, ...]]:
    """State, epoch and members of each row of internal.recorded_group_states."""
    return [
        (row["state"], row["generation"], row["member_count"])
        for row in replayed(rows)["internal.recorded_group_states"]
    ]


def joined(name: str, number: int, *partitions: int) -> list[Row]:
    """What a coordinator writes when a member joins a consumer group and gets all it is to own at once."""
    group_records = [member(name), epoch(number), target(name, *partitions), target_epoch(number)]
    return [*group_records, current(name, number, *partitions, previous_member_epoch=0)]


def test_each_record_stands_until_the_next() -> None:
    """States are told apart, and each has the time and place where it ended; the last still stands."""
    rows = generations(logged(classic(0), classic(1, {"a": b""}), classic(2), row_of(2)))
    assert [(row["generation"], row["state"], row["member_count"], row["to_log_offset"]) for row in rows] == [
        (0, "Empty", 0, 1),
        (1, "Stable", 1, 2),
        (2, "Empty", 0, 3),
        (None, "Removed", None, None),
    ]
    assert [row["to_at"] for row in rows] == [row["from_at"] for row in rows[1:]] + [None]
    assert rows[0]["state_at"] is None


def test_the_generation_before_shows_what_was_never_written() -> None:
    """Generations without an assignment leave no record; a static member that comes back writes the same one again."""
    rows = generations(logged(classic(5), classic(8, {"a": b""}), classic(8, {"b": b""}), row_of(2), classic(1)))
    assert [row["generation_before"] for row in rows] == [None, 5, 8, None, None]


def test_over_a_hole_nothing_is_said_of_what_came_before() -> None:
    """A generation between may not have been seen, so that the one before is not known and the end may be earlier."""
    first, _, last = logged(classic(5), COMMIT, classic(8))
    before, after = generations([first, last])
    assert (before["to_log_offset"], before["is_gap_free"]) == (2, False)
    assert after["generation_before"] is None


def test_members_are_opened() -> None:
    """Subscribed topics and assigned partitions are columns; Kafka's -1 for a timeout is NULL."""
    rows = classic(1, {"a": assignment(0, 2), "b": b""})
    rows["group_metadata"]["members"][0]["subscription"] = SUBSCRIBED_T
    first, second = members(logged(rows))
    assert first["subscribed_topics"] == ["t"]
    assert first["assigned"] == [{"topic": "t", "topic_id": None, "partitions": [0, 2]}]
    assert (first["is_leader"], second["is_leader"]) == (True, False)
    assert (first["session_timeout_ms"], first["rebalance_timeout_ms"]) == (9, None)


def test_who_the_leader_did_not_mention_owns_nothing() -> None:
    """No bytes are no partitions; broken bytes, and those of another protocol type, are not known."""
    connect = classic(1, {"a": assignment(0)}, protocol_type="connect")
    rows = members(logged(connect, classic(2, {"a": b""}), classic(3, {"a": b"\0"})))
    assert [(row["generation"], row["assigned"]) for row in rows] == [(1, None), (2, []), (3, None)]


def test_a_member_of_a_consumer_group_is_one_row_per_batch() -> None:
    """Who it is, what it owns and is to own stand in records of their own, which belong together."""
    (row,) = members(logged(joined("a", 1, 0, 1)))
    assert (row["log_offset"], row["generation"], row["state"], row["client_host"]) == (0, 1, "stable", "/h")
    places = [{"topic": None, "topic_id": T, "partitions": [0, 1]}]
    assert (row["assigned"], row["revoking"], row["target"]) == (places, [], places)
    assert (row["group_type"], row["uses_classic_protocol"], row["is_leader"]) == ("consumer", False, None)


def test_a_member_stands_until_its_next_record_or_until_it_is_gone() -> None:
    """What the others write does not end it."""
    log = logged(joined("a", 1, 0), joined("b", 2), [target("a"), target_epoch(3)], [*gone("a"), epoch(4)])
    rows = [(row["member_id"], row["log_offset"], row["to_log_offset"]) for row in members(log)]
    assert rows == [("a", 0, 10), ("b", 5, None), ("a", 10, 12)]


def test_a_static_member_that_leaves_for_a_while_is_away() -> None:
    """Its epoch is -2 then; what it owned is kept for it."""
    rows = members(logged(joined("a", 1, 0), current("a", -2, 0)))
    assert [(row["state"], row["generation"]) for row in rows] == [("stable", 1), ("away", None)]
    assert rows[0]["assigned"] == rows[1]["assigned"]


def test_a_classic_member_in_a_consumer_group_is_told() -> None:
    """Only one that offers protocols speaks the classic protocol; Kafka writes an empty struct for the others too."""
    offers = {"session_timeout_ms": 7, "supported_protocols": [{"name": "range", "metadata": b""}]}
    nothing = {"session_timeout_ms": 0, "supported_protocols": []}
    rows = []
    for name, protocols in (("a", offers), ("b", nothing)):
        row = member(name)
        row["consumer_group_member_metadata"]["classic_member_metadata"] = protocols
        rows.append(row)
    actual = [(row["uses_classic_protocol"], row["session_timeout_ms"]) for row in members(logged(*rows))]
    assert actual == [(True, 7), (False, None)]


def test_the_states_of_a_consumer_group_are_the_coordinators() -> None:
    """Assigning while the targets lag, reconciling while a member lags, empty and dead as the members go."""
    log = logged(
        joined("a", 1, 0, 1),
        [member("b"), epoch(2)],
        [target("a", 0), target("b", 1), target_epoch(2), current("b", 2, state=2)],
        current("a", 1, 0, **revoking(1)),
        [current("a", 2, 0), current("b", 2, 1)],
        [*gone("a"), epoch(3)],
        [*gone("b"), epoch(4)],
        [row_of(6), row_of(3)],
    )
    assert states(log) == [
        ("Stable", 1, 1),
        ("Assigning", 2, 2),
        ("Reconciling", 2, 2),
        ("Reconciling", 2, 2),
        ("Stable", 2, 2),
        ("Assigning", 3, 1),
        ("Empty", 4, 0),
        ("Dead", None, None),
    ]


def test_a_state_that_rests_on_unseen_records_is_unknown() -> None:
    """Members may have come and gone where nobody looked, so that not even their number is known."""
    log = logged(joined("a", 5, 0), joined("b", 6), epoch(7))
    assert states(log[1:]) == [(None, 5, None), (None, 6, None), (None, 7, None)]
    assert [state for state, _, _ in states(log)] == ["Stable", "Reconciling", "Assigning"]


def test_a_classic_group_needs_no_record_but_its_last() -> None:
    """Its members are all in one, so holes before it take nothing from what it says."""
    log = logged(classic(1, {"a": b""}), COMMIT, classic(2, {"a": b"", "b": b""}))
    assert states([log[2]]) == [("Stable", 2, 2)]


def test_a_group_that_is_converted_is_not_removed() -> None:
    """In one batch its old records go and its new ones come, either way round; it was never dead."""
    upgrade = [row_of(2), member("a"), epoch(3), target("a", 0), target_epoch(3), current("a", 3, 0)]
    downgrade = [*gone("a"), row_of(6), row_of(3), classic(3, {"a": assignment(0)})]
    log = logged(classic(2, {"a": assignment(0)}), upgrade, downgrade)
    rows = generations(log)
    assert [row["state"] for row in rows] == ["Stable", "Converted", "Stable", "Converted", "Stable"]
    assert [row["group_type"] for row in rows] == ["classic", "classic", "consumer", "consumer", "classic"]
    assert states(log) == [("Stable", 2, 1), ("Stable", 3, 1), ("Stable", 3, 1)]


def test_the_removal_of_what_a_group_is_not_any_more_changes_nothing() -> None:
    """Once a group is a consumer group, a classic tombstone is a leftover."""
    (row,) = generations(logged(joined("a", 1), row_of(2)))
    assert (row["group_type"], row["to_log_offset"]) == ("consumer", None)


def test_share_and_streams_groups_have_members_too() -> None:
    """A streams group's active tasks are partitions of the topics that its topology reads."""
    part = {"subtopology_id": "0", "source_topics": ["in"], "repartition_source_topics": [{"name": "made"}]}
    tasks = {"active_tasks": [{"subtopology_id": "0", "partitions": [1]}], "member_epoch": 1, "state": 1}
    streams = [
        row_of(19, "s", "m", streams_group_member_metadata={"client_id": "c", "client_host": "/h"}),
        row_of(23, "s", streams_group_topology={"epoch": 0, "subtopologies": [part]}),
        row_of(17, "s", streams_group_metadata={"epoch": 1}),
        row_of(22, "s", "m", streams_group_current_member_assignment=tasks),
    ]
    share = [
        row_of(10, "q", "n", share_group_member_metadata={"client_id": "c", "client_host": "/h"}),
        row_of(11, "q", share_group_metadata={"epoch": 1}),
        row_of(14, "q", "n", share_group_current_member_assignment={"member_epoch": 1, "state": 0}),
    ]
    of_streams, of_share = members(logged(streams, share))
    assert [place["topic"] for place in of_streams["assigned"]] == ["in", "made"]
    assert (of_streams["state"], of_share["state"]) == ("stable", "stable")
    assert (of_streams["group_type"], of_share["group_type"]) == ("streams", "share")


def test_tasks_of_a_topology_that_was_not_seen_are_unknown() -> None:
    """Which topics they read can't be told then; that a member has no tasks can."""
    tasks = [{"active_tasks": [{"subtopology_id": "0", "partitions": [1]}]}, {"active_tasks": []}]
    log = logged(*(row_of(22, "s", "m", streams_group_current_member_assignment=one) for one in tasks))
    assert [row["assigned"] for row in members(log)] == [None, []]


def test_what_was_wanted_and_given_has_rows_of_its_own() -> None:
    """Topic by topic, and what a regular expression matched until it was matched again."""
    wants = joined("a", 1, 0)
    wants[0]["consumer_group_member_metadata"]["subscribed_topic_regex"] = "t.*"
    assignments = [
        row_of(16, regular_expression="t.*", consumer_group_regular_expression={"topics": topics, "timestamp": 5})
        for topics in (["t"], ["t", "t2"])
    ]
    tables = replayed(logged(wants, *assignments))
    given = [(row["kind"], row["topic_id"], row["partitions"]) for row in tables["core.assignments"]]
    assert sorted(given) == [("assigned", T, [0]), ("target", T, [0])]
    rows = [
        (row["member_id"], row["topics"], row["regex"], row["to_log_offset"]) for row in tables["core.subscriptions"]
    ]
    assert rows == [("a", ["t"], "t.*", None), (None, ["t"], "t.*", 6), (None, ["t", "t2"], "t.*", None)]


def test_rows_have_the_columns_of_their_tables() -> None:
    """All but those that the replay adds."""
    tables = Coordinator.resume({}).replay(Reader().chunk(*records(*logged(joined("a", 1, 0), COMMIT))))
    for name, rows in tables.items():
        assert rows.schema.names == [
            one for one in TABLES[name].column_names if one not in ("cluster", "log_partition")
        ]


@settings(max_examples=20)
@given(holed_logs(), st.lists(st.integers(0, 40), min_size=1, max_size=3))
def test_where_the_log_is_cut_into_runs_does_not_matter(log: list[Row], cuts: list[int]) -> None:
    """Any cutting, with nothing kept but the memory, gives the rows of one go."""
    assert replayed(log, *cuts) == replayed(log)


def test_a_chunk_may_be_larger_than_what_is_opened_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records are taken piece by piece, which nobody can tell by the rows."""
    log = logged(*(classic(number, {"a": assignment(0), "b": assignment(1)}) for number in range(9)))
    tables = replayed(log)
    monkeypatch.setattr("assets.transforms.groups.opened_pieces.PIECE_BYTES", 250)
    assert replayed(log) == tables
    assert len(tables["core.generations"]) == 9


@settings(max_examples=10)
@given(holed_logs())
def test_the_memory_does_not_grow_with_the_log(log: list[Row]) -> None:
    """The same log once more adds nothing to what has to be remembered after it."""
    sizes = []
    for times in (2, 4):
        subject = Coordinator.resume({})
        rows = [row | {"log_offset": at, "batch_base_offset": at} for at, row in enumerate(log * times)]
        subject.replay(Reader().chunk(*records(*rows)))
        sizes.append({name: table.num_rows for name, table in subject.memory().items()})
    assert sizes[0] == sizes[1]
