"""Many rebalances close together, and who causes them, on rows by hand."""

from __future__ import annotations

import pytest

from tests.assets.rows import Answer, Book, second

PLACE = {"cluster": "c", "log_partition": 7, "group_id": "g"}
STANDING = ("mart.rebalances", "mart.member_changes", "core.members")
Change = tuple[str, str]
"""What a member of a host did."""


def book(
    *changes: Change | None, apart: float = 60, taking: float = 1, trigger: str = "join", **values: object
) -> Book:
    """Rebalances, one after the other, each of one change, or of none with a cause of its own; members are new ones."""
    tables = Book(STANDING)
    for number, change in enumerate(changes):
        begun = number * (apart + taking)
        when = {"started_at": second(begun), "ended_at": second(begun + taking), "generations": 2, "trigger": trigger}
        pauses = {"pause_ms": 10, "pause_lower_ms": 10, "pause_total_ms": 30, "stops_all": True}
        members = {"members_joined": ["m"], "members_left": []}
        tables.insert("mart.rebalances", **PLACE, log_offset=10 * number, **{**when, **pauses, **members, **values})
        if change is not None:
            tables.insert("mart.member_changes", **PLACE, **changed(number, *change))
    return tables


def changed(number: int, what: str, host: str) -> dict[str, object]:
    """One row of mart.member_changes."""
    member = {"member_id": f"{host}-{number}", "client_id": "app", "client_host": host, "change": what}
    return {"rebalance_log_offset": 10 * number, "log_offset": 10 * number, **member}


def storms(tables: Book, columns: str = "log_offset, last_log_offset, pattern, rounds, repeated") -> Answer:
    """What is called a storm."""
    tables.make("mart.rebalance_storms")
    return tables.ask(f"SELECT {columns} FROM mart.rebalance_storms")  # noqa: S608 - names that the tests write


def loop(times: int, host: str = "h") -> list[Change]:
    """A member that is there goes and comes back, so many times."""
    return [("left", host), ("joined", host)] * times


def test_who_comes_back_three_times_makes_a_storm() -> None:
    """Once is a restart, twice one that was taken back."""
    assert storms(book(*loop(3))) == [(0, 50, "member_returns", 3, "app at h")]
    assert storms(book(*loop(2))) == []


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([("joined", f"h{number}") for number in range(40)], id="a group grows"),
        pytest.param([("expired", f"h{number}") for number in range(40)], id="a group shrinks"),
        pytest.param([change for number in range(40) for change in loop(1, f"h{number}")], id="each is restarted"),
        pytest.param(
            [("joined", f"h{number}") for number in range(9)] + [("left", "h1")] * 9, id="comes, goes, no more"
        ),
    ],
)
def test_what_members_do_once_is_no_storm(changes: list[Change]) -> None:
    """However many they are, and however close together."""
    assert storms(book(*changes, apart=1)) == []


def test_processes_of_one_name_that_are_restarted_once_are_no_storm() -> None:
    """There are three of them on the host, so three comings back are one each; nine are three."""
    for times, expected in ((3, []), (9, [(0, 170, "member_returns", 3, "app at h")])):
        tables = book(*loop(times))
        for number in range(3):
            standing = {"group_type": "classic", "member_id": f"before-{number}", "is_gap_free": True}
            tables.insert("core.members", **PLACE, **standing, client_id="app", client_host="h", log_offset=-5)
        assert storms(tables) == expected


def test_a_static_member_that_is_replaced_over_and_over_makes_a_storm() -> None:
    """It goes by its instance, wherever it comes from."""
    tables = book(*[("replaced", f"h{number}") for number in range(3)])
    assert storms(tables) == []
    tables.ask("UPDATE mart.member_changes SET group_instance_id = 'i-1'")
    assert storms(tables, "pattern, rounds, repeated") == [("member_returns", 3, "i-1")]


def test_a_cause_that_comes_back_without_a_change_of_members_makes_a_storm() -> None:
    """Three times after the first; not when nobody knows whether members changed, or what the cause is."""
    storm = [(0, 30, "same_cause", 3, "leader_rejoin")]
    assert storms(book(None, None, None, None, trigger="leader_rejoin")) == storm
    assert storms(book(None, None, None, trigger="leader_rejoin")) == []
    assert storms(book(None, None, None, None, trigger="unknown")) == []
    assert storms(book(None, None, None, None, trigger="leader_rejoin", members_left=None)) == []


def test_a_group_that_stands_still_most_of_the_time_makes_a_storm() -> None:
    """By what of its pauses is sure, in five rebalances or more that stop every member."""
    grows = [("joined", f"h{number}") for number in range(5)]
    still = {"apart": 4, "taking": 6, "pause_lower_ms": 6000}
    assert storms(book(*grows, **still)) == [(0, 40, "mostly_stopped", None, None)]  # type: ignore[arg-type]  # of its own columns
    assert storms(book(*grows[:4], **still)) == []  # type: ignore[arg-type]  # of its own columns
    assert storms(book(*grows, **still, stops_all=False)) == []  # type: ignore[arg-type]  # of its own columns
    assert storms(book(*grows, **{**still, "pause_lower_ms": 2000})) == []  # type: ignore[arg-type]  # of its own columns


def test_a_group_that_is_restarted_with_nobody_else_to_stop_is_no_storm() -> None:
    """One process that is restarted over and over; where most rebalances stop another member it is a storm."""
    alone = {"members_before": 1, "members_after": 1}
    assert storms(book(*loop(3), **alone), "pattern, rounds") == [("group_restarts", 3)]  # type: ignore[arg-type]  # of its own columns
    tables = book(*loop(3), **alone)  # type: ignore[arg-type]  # of its own columns
    tables.ask("UPDATE mart.rebalances SET members_after = 2 WHERE log_offset <= 10")
    assert storms(tables, "pattern, rounds") == [("group_restarts", 3)]
    tables.ask("UPDATE mart.rebalances SET members_after = 2 WHERE log_offset <= 20")
    assert storms(tables, "pattern, rounds") == [("member_returns", 3)]


def test_members_that_all_leave_and_all_come_back_restart() -> None:
    """The group is Empty in between, so nobody is stopped by it; restarts count whatever host they come from."""
    changes = [*loop(3), ("left", "h"), ("joined", "elsewhere")]
    tables = book(*changes)
    tables.ask("UPDATE mart.rebalances SET members_before = 4, members_after = 0 WHERE log_offset % 20 = 0")
    tables.ask("UPDATE mart.rebalances SET members_before = 0, members_after = 4 WHERE log_offset % 20 = 10")
    assert storms(tables, "pattern, rounds") == [("group_restarts", 4)]


def test_ten_minutes_of_rest_end_a_storm() -> None:
    """They count from the end of one to the beginning of the next."""
    assert len(storms(book(*loop(3), apart=600, taking=100))) == 1
    assert storms(book(*loop(3), apart=601)) == []


def test_a_storm_says_how_bad_it_was_and_who_was_worst() -> None:
    """Members are others each time, but their host is the same."""
    columns = (
        "generations, pause_ms, pause_total_ms, members_joined, trigger, worst_client_host, worst_client_host_share"
    )
    tables = book(*loop(3), ("joined", "other"))
    assert storms(tables, columns) == [(14, 70, 210, 7, "join", "h", 6 / 7)]
    assert storms(tables, "worst_client_id, worst_client_share, worst_member_share, worst_group_instance_id") == [
        ("app", 1.0, 1 / 7, None)
    ]


def test_a_pause_that_is_not_known_makes_their_sum_unknown() -> None:
    """But how many are known is said."""
    tables = book(*loop(3))
    tables.ask("UPDATE mart.rebalances SET pause_ms = NULL WHERE log_offset = 20")
    assert storms(tables, "pause_ms, pause_total_ms, pauses_known") == [(None, None, 5)]


def test_churn_is_counted_by_member_instance_client_and_host() -> None:
    """With the share of the group's rebalances that each had a part in."""
    tables = book(*[("joined", "host-1")] * 4)
    tables.insert("mart.member_changes", **PLACE, **changed(0, "joined", "host-2"))
    tables.make("mart.churn")
    query = "SELECT dimension, name, joins, rebalances, share FROM mart.churn WHERE dimension <> 'member' ORDER BY ALL"
    assert tables.ask(query) == [
        ("client", "app", 5, 4, 1.0),
        ("host", "host-1", 4, 4, 1.0),
        ("host", "host-2", 1, 1, 0.25),
    ]
    assert tables.ask("SELECT count(*) FROM mart.churn WHERE dimension = 'member'") == [(5,)]
