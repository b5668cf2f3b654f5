"""Many rebalances close together, and who causes them, on rows by hand."""

from __future__ import annotations

from tests.assets.rows import Answer, Book, second

PLACE = {"cluster": "c", "log_partition": 7, "group_id": "g"}


def book(*starts: float, taking: float = 1, by: str = "host-1") -> Book:
    """Rebalances that begin at some seconds; in each a new member of one host joins, in the first one of host-2 too."""
    found = Book(["mart.rebalances", "mart.member_changes"])
    for number, start in enumerate(starts):
        said = {"started_at": second(start), "ended_at": second(start + taking), "generations": 2, "trigger": "join"}
        told = {"pause_ms": 10, "pause_total_ms": 30, "members_joined": ["m"], "members_left": []}
        found.insert("mart.rebalances", **PLACE, log_offset=number, **said, **told)
        for host in (by, "host-2") if number == 0 else (by,):
            change = {"member_id": f"{host}-{number}", "client_id": "app", "client_host": host, "change": "joined"}
            found.insert("mart.member_changes", **PLACE, rebalance_log_offset=number, log_offset=number, **change)
    return found


def storms(found: Book, columns: str = "log_offset, last_log_offset, rebalances") -> Answer:
    """What is called a storm."""
    found.make("mart.rebalance_storms")
    return found.ask(f"SELECT {columns} FROM mart.rebalance_storms")  # noqa: S608 - names that the tests write


def test_five_rebalances_close_together_are_a_storm() -> None:
    """Four are none."""
    assert storms(book(0, 60, 120, 180, 240)) == [(0, 4, 5)]
    assert storms(book(0, 60, 120, 180)) == []


def test_ten_minutes_of_rest_end_a_storm() -> None:
    """They count from the end of one to the beginning of the next."""
    assert storms(book(0, 100, 200, 300, 901, 2000)) == [(0, 4, 5)]
    assert storms(book(0, 100, 200, 300, 902)) == []
    assert storms(book(0, 100, 200, 300, 1000, taking=100)) == [(0, 4, 5)]


def test_a_storm_says_how_bad_it_was_and_who_was_worst() -> None:
    """Members are others each time, but their host is the same."""
    columns = (
        "generations, pause_ms, pause_total_ms, members_joined, trigger, worst_client_host, worst_client_host_share"
    )
    found = book(0, 1, 2, 3, 4)
    assert storms(found, columns) == [(10, 50, 150, 5, "join", "host-1", 5 / 6)]
    assert storms(found, "worst_client_id, worst_client_share, worst_member_share, worst_group_instance_id") == [
        ("app", 1.0, 1 / 6, None)
    ]


def test_a_pause_that_is_not_known_makes_their_sum_unknown() -> None:
    """But how many are known is said."""
    found = book(0, 1, 2, 3, 4)
    found.ask("UPDATE mart.rebalances SET pause_ms = NULL WHERE log_offset = 2")
    assert storms(found, "pause_ms, pause_total_ms, pauses_known") == [(None, None, 4)]


def test_churn_is_counted_by_member_instance_client_and_host() -> None:
    """With the share of the group's rebalances that each had a part in."""
    found = book(0, 1, 2, 3)
    found.make("mart.churn")
    asked = (
        "SELECT counted_by, name, joins, rebalances, share FROM mart.churn WHERE counted_by <> 'member' ORDER BY ALL"
    )
    assert found.ask(asked) == [
        ("client", "app", 5, 4, 1.0),
        ("host", "host-1", 4, 4, 1.0),
        ("host", "host-2", 1, 1, 0.25),
    ]
    assert found.ask("SELECT count(*) FROM mart.churn WHERE counted_by = 'member'") == [(5,)]
