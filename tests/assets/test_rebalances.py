"""What each rebalance did, on a few records each, which go through the replay; a record is a second after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.assets.rows import REBALANCING, REPLAYED, Answer, Book
from tests.assets.transforms.made_groups import (
    COMMIT,
    assignment,
    classic,
    current,
    epoch,
    gone,
    logged,
    member,
    revoking,
    row_of,
    target,
    target_epoch,
)

if TYPE_CHECKING:
    from tests.assets.transforms.offsets_log import Row

Line = dict[str, Any]
TIMEOUT_MS = 5000


def at(seconds: float) -> str:
    """An instant, so many seconds after the first record."""
    return f"1970-01-01 00:00:{seconds:06.3f}+00"


def generation(number: int, *, joined_ms: int = -1, topics: str = "t", **given: tuple[int, ...]) -> Row:
    """A generation of a classic group: who was given which partitions of t."""
    row = classic(number, {one: assignment(*some) for one, some in given.items()}, current_state_timestamp=joined_ms)
    for member_row in row["group_metadata"]["members"]:
        names = b"".join(b"\0\1" + one.encode() for one in topics)
        member_row |= {"session_timeout": TIMEOUT_MS, "rebalance_timeout": TIMEOUT_MS}
        member_row["subscription"] = b"\0\0" + len(topics).to_bytes(4, "big") + names + b"\xff" * 4
    return row


def cooperative(number: int, **given: tuple[int, ...]) -> Row:
    """A generation by an assignor that takes away first and gives out in the next."""
    row = generation(number, joined_ms=-1, topics="t", **given)
    row["group_metadata"]["protocol"] = "cooperative-sticky"
    return row


def line(seconds: float, event: str, number: int | None = None, **also: object) -> Line:
    """A line of the coordinator's text log about g."""
    values = {"logged_at": at(seconds), "event": event, "generation": number, "cluster": "c", "group_id": "g"}
    return values | {"broker_id": 1, "message": "", "repeat": 0} | also


def begins(seconds: float, number: int, reason: str) -> Line:
    """The line with which a rebalance begins."""
    return line(seconds, "rebalance_begins", number, reason=reason)


def book(log: list[Row], *lines: Line) -> Book:
    """Everything that follows from records and lines."""
    tables = Book([*REPLAYED, "core.assignments", "core.topics", "raw.coordinator_events", *REBALANCING])
    tables.replay(log)
    for number, line in enumerate(lines, 1):
        tables.insert("raw.coordinator_events", line=number, **line)
    tables.make(*REBALANCING)
    return tables


def rebalances(columns: str, log: list[Row], *lines: Line) -> Answer:
    """Columns of the rebalances, in the order of the log."""
    return book(log, *lines).ask(f"SELECT {columns} FROM mart.rebalances ORDER BY log_offset")  # noqa: S608 - names that the tests write


def moves(columns: str, log: list[Row], *lines: Line) -> Answer:
    """Columns of what became of partitions, in the order of the log."""
    query = f"SELECT {columns} FROM mart.partition_moves ORDER BY rebalance_log_offset, partition"  # noqa: S608 - names that the tests write
    return book(log, *lines).ask(query)


JOIN = logged(generation(1, a=(0, 1, 2)), generation(2, joined_ms=900, a=(0,), b=(1, 2)))
COUNTS = "partitions_moved, partitions_kept, partitions_gained, partitions_lost"


def test_a_group_begins_with_what_nobody_had() -> None:
    """The first generation of all is known to be the first; nothing was moved or stopped."""
    (first, _) = rebalances(f"members_joined, members_before, {COUNTS}, pause_ms, trigger", JOIN)
    assert first == (["a"], 0, 0, 0, 3, 0, 0, "join")


def test_who_joins_is_given_what_another_had() -> None:
    """Moved and kept are counted by owner; every member of an eager assignor stops, from the line to the record."""
    columns = "started_source, duration_ms, stops_all, partitions_paused, pause_ms, pause_lower_ms, pause_total_ms"
    lines = [begins(0.4, 1, "Adding new member b with group instance id null"), line(0.9, "members_joined", 2)]
    assert rebalances(columns, JOIN, *lines)[1] == ("text_log", 600, True, 3, 600, 100, 1800)
    assert rebalances(f"members_joined, members_left, {COUNTS}", JOIN, *lines)[1] == (["b"], [], 2, 1, 0, 0)
    assert rebalances("trigger, trigger_source, certainty", JOIN, *lines)[1] == ("join", "text_log", "proven")


def test_without_a_text_log_only_the_end_of_a_pause_is_known() -> None:
    """When it began is not, so how long it stopped the group is known to be no less than since all had rejoined."""
    columns = "started_source, started_at = joined_at, pause_ms, pause_lower_ms, pause_total_ms, trigger, certainty"
    assert rebalances(columns, JOIN)[1] == ("record", True, None, 100, None, "join", "likely")


LEFT = logged(generation(1, a=(0, 1), b=(2,)), generation(2, joined_ms=900, b=(0, 1, 2)))


@pytest.mark.parametrize(
    ("event", "change", "trigger", "source"),
    [
        ("member_failed", "expired", "expired", "text_log"),
        ("member_left", "left", "leave", "text_log"),
        (None, "left_or_expired", "left_or_expired", "record"),
    ],
)
def test_whether_a_member_left_or_expired_only_a_line_tells(
    event: str | None, change: str, trigger: str, source: str
) -> None:
    """And that is a hint; who expired may have gone unheard for its session timeout, and may read on even now."""
    lines = [line(0.4, event, member_id="a")] if event else []
    tables = book(LEFT, *lines)
    assert tables.ask("SELECT member_id, change FROM mart.member_changes WHERE change NOT IN ('joined')") == [
        ("a", change)
    ]
    query = "SELECT trigger, trigger_source, certainty, members_left FROM mart.rebalances WHERE log_offset = 1"
    assert tables.ask(query) == [(trigger, source, "likely", ["a"])]
    least = None if "expired" in change else 100
    silent = None if change == "left" else TIMEOUT_MS
    columns = "from_member_id, to_member_id, pause_lower_ms, silence_upper_ms"
    query = f"SELECT DISTINCT {columns} FROM mart.partition_moves WHERE kind = 'moved'"  # noqa: S608 - names of our own
    assert tables.ask(query) == [("a", "b", least, silent)]


def test_an_empty_group_has_lost_its_partitions() -> None:
    """Nobody else got them; when members come again they are taken up."""
    log = logged(generation(1, a=(0, 1)), classic(2), generation(3, b=(0, 1)))
    assert rebalances(f"state_after, {COUNTS}, pause_ms", log)[1:] == [
        ("Empty", 0, 0, 0, 2, 0),
        ("Stable", 0, 0, 2, 0, 0),
    ]
    assert moves("kind, from_member_id, to_member_id, pause_ms", log)[2:] == [
        ("lost", "a", None, None),
        ("lost", "a", None, None),
        ("gained", None, "b", None),
        ("gained", None, "b", None),
    ]


def test_a_cooperative_hand_over_is_one_rebalance_of_two_generations() -> None:
    """One generation takes a partition from a member, the next gives it to another: it was paused in between."""
    log = logged(cooperative(1, a=(0, 1)), cooperative(2, a=(0,), b=()), cooperative(3, a=(0,), b=(1,)))
    columns = "generation_before, generation_after, generations, members_joined, stops_all, partitions_paused, pause_ms"
    assert rebalances(columns, log)[1:] == [(1, 3, 2, ["b"], False, 1, 1000)]
    assert rebalances(COUNTS, log)[1:] == [(1, 1, 0, 0)]
    assert moves("kind, from_member_id, to_member_id, pause_ms", log)[2:] == [("moved", "a", "b", 1000)]


def test_what_is_given_out_much_later_is_another_rebalance() -> None:
    """Later than members may take to rejoin: then nobody was on the way to take it."""
    between = [COMMIT] * TIMEOUT_MS_IN_SECONDS
    log = logged(cooperative(1, a=(0, 1)), cooperative(2, a=(0,), b=()), *between, cooperative(3, a=(0,), b=(1,)))
    assert rebalances(f"generation_after, {COUNTS}", log)[1:] == [(2, 0, 1, 0, 1), (3, 0, 1, 1, 0)]


TIMEOUT_MS_IN_SECONDS = TIMEOUT_MS // 1000 + 1


def test_a_static_member_that_comes_back_keeps_what_it_had() -> None:
    """Within a generation; how long it was away no record tells."""
    instances = {"a": "i", "b": "i"}
    log = logged(*(classic(1, {one: assignment(0, 1)}, instances=instances) for one in "ab"))
    columns = "members_joined, members_left, members_replaced, trigger, certainty, pause_ms"
    assert rebalances(columns, log)[1] == ([], [], ["b"], "static_replacement", "proven", None)
    assert rebalances(COUNTS, log)[1] == (0, 2, 0, 0)
    assert moves("kind, from_member_id, to_member_id", log)[2:] == [("kept", "a", "b")] * 2


RECONCILED = logged(
    [member("a"), epoch(2), target("a", 0, 1), target_epoch(2), current("a", 2, 0, 1, previous_member_epoch=0)],
    [
        member("b"),
        epoch(3),
        target("a", 0),
        target("b", 1),
        target_epoch(3),
        current("b", 3, state=2, previous_member_epoch=0),
    ],
    current("a", 2, 0, **revoking(1)),
    current("a", 3, 0),
    current("b", 3, 1),
)


def test_a_reconciliation_is_one_rebalance_from_its_epoch_until_all_are_stable() -> None:
    """The partition was paused from when its owner was told to give it up until the next had it."""
    columns = "group_type, generation_after, generations, duration_ms, trigger, certainty"
    assert rebalances(columns, RECONCILED)[1:] == [("consumer", 3, 1, 8000, "join", "proven")]
    assert rebalances(COUNTS, RECONCILED)[1:] == [(1, 1, 0, 0)]
    assert moves("kind, from_member_id, to_member_id, pause_ms, pause_lower_ms", RECONCILED)[2:] == [
        ("moved", "a", "b", 2000, 1000)
    ]


def test_the_first_rebalance_has_nothing_before_it() -> None:
    """However many records it took: what stood before its second one is a part of it."""
    log = logged([member("a"), epoch(1), target("a", 0)], [target_epoch(1), current("a", 1, 0)])
    spans = "log_offset, before_log_offset, generation_before, state_before, members_before, group_type_before"
    assert book(log).ask(f"SELECT {spans} FROM internal.rebalance_spans") == [(2, None, None, None, None, None)]  # noqa: S608 - names of our own


def test_epochs_that_overtake_each_other_are_one_rebalance() -> None:
    """While it goes on it has no end; another that joins meanwhile belongs to it."""
    more = logged(
        [member("a"), epoch(2), target("a", 0, 1), target_epoch(2), current("a", 2, 0, 1, previous_member_epoch=0)],
        [member("b"), epoch(3)],
        [member("c"), epoch(4)],
    )
    columns = "generation_after, generations, state_after, ended_at, members_joined, pause_ms"
    assert rebalances(columns, more)[1:] == [(4, 2, "Assigning", None, ["b", "c"], None)]


def test_what_was_before_a_hole_is_not_claimed() -> None:
    """Somebody may have come and gone where nobody looked."""
    first, _, last = logged(generation(5, a=(0,)), COMMIT, generation(9, b=(0,)))
    columns = "members_before, members_joined, members_left, partitions_moved, pause_ms, trigger, certainty"
    assert rebalances(columns, [first, last]) == [(None, None, None, None, None, "unknown", None)] * 2


def test_an_assignment_that_cannot_be_read_makes_the_counts_unknown() -> None:
    """One unreadable member before or after is enough."""
    broken = classic(2, {"a": assignment(0), "b": b"\0"})
    log = logged(generation(1, a=(0, 1)), broken, generation(3, a=(0, 1)), generation(4, a=(0,), b=(1,)))
    assert rebalances(COUNTS, log)[1:] == [(None,) * 4, (None,) * 4, (1, 1, 0, 0)]


def test_of_an_assignor_of_somebody_s_own_it_is_not_known_whom_it_stops() -> None:
    """It may be eager or cooperative."""
    rows = [generation(1, a=(0, 1)), generation(2, a=(0,), b=(1,))]
    rows[1]["group_metadata"]["protocol"] = "mine"
    assert rebalances("stops_all, pause_ms, partitions_paused, partitions_moved", logged(*rows))[1] == (
        None,
        None,
        None,
        1,
    )


SAME = logged(generation(1, a=(0, 1)), generation(2, a=(0, 1)))


REASONS = {
    "leader_rejoin": [
        "Leader a re-joining group during Stable; client reason: not provided",
        "leader a re-joining group",
    ],
    "partitions_added": [
        "Leader a re-joining group during Stable; client reason: cached metadata has changed from x to y"
    ],
    "subscription_change": [
        "Updating metadata for member a during Stable; client reason: the subscription has changed"
    ],
    "leave": ["explicit `LeaveGroup` request for (z) members.", "removing member z on LeaveGroup"],
    "expired": ["removing member z on heartbeat expiration.", "Removing z on pending sync request expiration"],
    "protocol_change": ["Group's selectedProtocol will change because static member i joined with change of protocol"],
    "coordinator_failover": ["Adding new member z; client reason: rebalance failed due to NotCoordinatorException"],
    "join": [
        "Adding new member z with group instance id null; client reason: removing member a on heartbeat expiration",
        "Adding new member removing z on heartbeat expiration with group instance id null",
    ],
    "unknown": ["something that no coordinator says"],
}


@pytest.mark.parametrize(("trigger", "reason"), [(why, text) for why, some in REASONS.items() for text in some])
def test_a_line_says_why(trigger: str, reason: str) -> None:
    """Where records show nothing it is a hint; what the coordinator says goes before what a client says of itself."""
    rebalance = rebalances("trigger, certainty, reason", SAME, begins(0.5, 1, reason))[1]
    assert rebalance == (trigger, None if trigger == "unknown" else "likely", reason)


def test_what_records_show_needs_no_line() -> None:
    """Members that subscribe otherwise, topics that grow, another assignor, another coordinator."""
    grown = generation(2, a=(0, 1, 2))
    other = cooperative(2, a=(0, 1))
    moved = logged(generation(1, a=(0, 1)), generation(2, a=(0, 1)))
    moved[1]["log_leader_epoch"] = 5
    logs = {
        "subscription_change": logged(generation(1, a=(0, 1)), generation(2, topics="tu", a=(0, 1))),
        "partitions_added": logged(generation(1, a=(0, 1)), grown),
        "protocol_change": logged(generation(1, a=(0, 1)), other),
        "coordinator_failover": moved,
        "unknown": SAME,
    }
    assert {why: rebalances("trigger", log)[1][0] for why, log in logs.items()} == {why: why for why in logs}


def test_members_that_come_and_go_at_once() -> None:
    """Which of them began it no record tells; that neither is static makes them no replacement of each other."""
    log = logged(generation(1, a=(0, 1)), generation(2, b=(0, 1)))
    columns = "members_joined, members_left, members_replaced, partitions_moved, trigger"
    assert rebalances(columns, log)[1] == (["b"], ["a"], [], 2, "members_changed")


def test_a_group_that_becomes_another_kind_keeps_its_members() -> None:
    """The tombstone of what it was is no leaving."""
    upgrade = [row_of(2), member("a"), epoch(3), target("a", 0, 1), target_epoch(3), current("a", 3, 0, 1)]
    log = logged(generation(2, a=(0, 1)), upgrade)
    columns = "group_type, members_joined, members_left, trigger"
    assert rebalances(columns, log)[1] == ("consumer", [], [], "protocol_change")


def test_share_groups_move_nothing() -> None:
    """Their members read the same partitions; joining and leaving is told all the same."""
    values = {"client_id": "a", "client_host": "/h", "subscribed_topic_names": ["t"]}
    log = logged(
        [
            row_of(10, "g", "a", share_group_member_metadata=values),
            row_of(11, "g", share_group_metadata={"epoch": 1}),
            row_of(12, "g", share_group_target_assignment_metadata={"assignment_epoch": 1}),
        ]
    )
    assert rebalances("group_type, members_joined, partitions_moved, pause_ms, trigger", log) == [
        ("share", ["a"], None, None, "join")
    ]


def test_who_goes_is_said_in_the_rebalance_it_began() -> None:
    """A member of a consumer group that leaves ends an epoch of its own."""
    log = logged(
        [member("a"), epoch(2), target("a", 0), target_epoch(2), current("a", 2, 0, previous_member_epoch=0)],
        [*gone("a"), epoch(3)],
    )
    assert rebalances("members_joined, members_left, state_after, partitions_lost", log) == [
        (["a"], [], "Stable", 0),
        ([], ["a"], "Empty", 1),
    ]
