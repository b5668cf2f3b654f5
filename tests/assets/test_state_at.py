"""What state_at says where a hole in the log may hide what was committed, case by case, and what rests on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.catalog import TABLES
from tests.assets.rows import second

if TYPE_CHECKING:
    import duckdb

KEY: Final = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0, "log_partition": 7}


def insert(database: duckdb.DuckDBPyConnection, table: str, **row: Any) -> None:  # noqa: ANN401 - a value of any column
    """Add a row."""
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608


def commit(database: duckdb.DuckDBPyConnection, at: int, offset: int | None, **changed: Any) -> None:  # noqa: ANN401
    """A commit at a log offset, so many seconds after noon; a removal without an offset."""
    row = {**KEY, "log_offset": at, "effective_log_offset": at, "effective_at": second(at), "committed_offset": offset}
    row |= {"kind": "removed" if offset is None else "advance", "is_previous_known": True}
    row |= changed
    insert(database, "core.commits", **row)
    if not row["is_previous_known"]:
        told = {name: row[name] for name in TABLES["internal.commits_after_gaps"].column_names}
        insert(database, "internal.commits_after_gaps", **told)


def hole(database: duckdb.DuckDBPyConnection, first: int, end: int, *, is_damage: bool = False) -> None:
    """A hole between two records."""
    times = {"from_at": second(first - 1) if first else None, "to_at": second(end)}
    place = {"cluster": "c", "log_partition": 7, "from_log_offset": first, "to_log_offset": end}
    insert(database, "core.log_gaps", **place, **times, is_damage=is_damage)


def state(database: duckdb.DuckDBPyConnection, at: float) -> list[tuple[Any, ...]]:
    """What is said of an instant: the offset, whether it is known, and the last one seen."""
    asked = "SELECT current_offset, is_known, last_seen_offset FROM state_at(?::TIMESTAMPTZ)"
    return database.execute(asked, [second(at)]).fetchall()


def test_between_two_commits_with_a_hole_nobody_knows(database: duckdb.DuckDBPyConnection) -> None:
    """Up to the record before the hole what was committed stood; from the commit behind it that one does."""
    commit(database, 0, 5)
    hole(database, 2, 4)
    commit(database, 6, 9, is_previous_known=False)
    assert state(database, 0.5) == [(5, True, 5)]
    assert state(database, 1) == state(database, 5.5) == [(None, False, 5)]
    assert state(database, 6) == [(9, True, 9)]


def test_the_newest_of_a_key_stands_whatever_the_cleaner_took(database: duckdb.DuckDBPyConnection) -> None:
    """It leaves the newest record of each key, so that a group that commits no more is known."""
    commit(database, 0, 5)
    hole(database, 2, 4)
    assert state(database, 5) == [(5, True, 5)]


def test_but_not_what_was_damaged(database: duckdb.DuckDBPyConnection) -> None:
    """There even the newest record may be lost; before it nothing is."""
    commit(database, 0, 5)
    hole(database, 2, 4, is_damage=True)
    assert state(database, 0.5) == [(5, True, 5)]
    assert state(database, 5) == [(None, False, 5)]


def test_damage_behind_an_instant_hides_whose_record_the_cleaner_took(database: duckdb.DuckDBPyConnection) -> None:
    """What it took before may have been followed by what was damaged later."""
    commit(database, 0, 5)
    hole(database, 2, 4)
    hole(database, 8, 9, is_damage=True)
    assert state(database, 5) == [(None, False, 5)]


def test_before_the_first_commit_that_was_seen(database: duckdb.DuckDBPyConnection) -> None:
    """There may have been others, and it is said that there may; unless no hole lies before it."""
    hole(database, 0, 3)
    commit(database, 3, 5, is_previous_known=False)
    commit(database, 4, 1, partition=1, is_previous_known=True)
    assert state(database, -1000) == state(database, 2) == [(None, False, None)]
    assert sorted(state(database, 4)) == [(1, True, 1), (5, True, 5)]


def test_what_was_removed_before_a_hole_may_have_come_back(database: duckdb.DuckDBPyConnection) -> None:
    """And is not known to be gone, until a later commit is seen; without one it is gone."""
    commit(database, 0, 5)
    commit(database, 1, None)
    hole(database, 3, 5)
    assert state(database, 5) == []
    commit(database, 6, 9, is_previous_known=False)
    assert state(database, 1.5) == []
    assert state(database, 5) == [(None, False, None)]


def test_a_clock_that_steps_back_makes_no_hole_younger(database: duckdb.DuckDBPyConnection) -> None:
    """What stood in it may be as old as the record behind it."""
    commit(database, 0, 5, effective_at=second(-9))
    place = {"cluster": "c", "log_partition": 7, "from_log_offset": 2, "to_log_offset": 4, "is_damage": False}
    insert(database, "core.log_gaps", **place, from_at=second(100), to_at=second(3))
    commit(database, 6, 9, is_previous_known=False)
    assert state(database, 2) == [(5, True, 5)]
    assert state(database, 3) == [(None, False, 5)]


def test_nor_is_a_set_back_told_where_the_newest_commit_is_hidden(database: duckdb.DuckDBPyConnection) -> None:
    """What was set back may have been made up for meanwhile, however strictly it is judged."""
    commit(database, 0, 9)
    commit(database, 1, 5)
    hole(database, 2, 4)
    commit(database, 6, 12, is_previous_known=False)
    asked = "SELECT strict_rule, strict_status FROM status_at(?::TIMESTAMPTZ)"
    assert database.execute(asked, [second(0.5)]).fetchall() == [(None, None)]
    assert database.execute(asked, [second(5)]).fetchall() == [(None, None)]
    database.execute("DELETE FROM internal.commits_after_gaps")
    assert database.execute(asked, [second(5)]).fetchall()[0][0] == "set_back"


@pytest.mark.parametrize("grp", ["NULL", "'g'"])
def test_holes_of_other_logs_hide_nothing(database: duckdb.DuckDBPyConnection, grp: str) -> None:
    """Another partition of the log, and another cluster, have holes of their own."""
    commit(database, 0, 5)
    commit(database, 6, 9, is_previous_known=False)
    commit(database, 0, 3, group_id="h")
    for place in ({"cluster": "c", "log_partition": 8}, {"cluster": "d", "log_partition": 7}):
        times = {"from_at": second(1), "to_at": second(4), "is_damage": True}
        insert(database, "core.log_gaps", **place, **times, from_log_offset=2, to_log_offset=4)
    asked = f"SELECT group_id, current_offset, is_known FROM state_at(?::TIMESTAMPTZ, {grp}) ORDER BY ALL"  # noqa: S608
    both = [("g", 5, True), ("h", 3, True)]
    assert database.execute(asked, [second(5)]).fetchall() == (both if grp == "NULL" else both[:1])


def test_lag_and_verdict_of_what_is_not_known_are_not_known(database: duckdb.DuckDBPyConnection) -> None:
    """Neither is worked out from an offset that may have been another one."""
    commit(database, 0, 5)
    hole(database, 2, 4)
    commit(database, 6, 9, is_previous_known=False)
    log = {"cluster": "c", "topic": "t", "partition": 0, "source": "live"}
    insert(database, "core.log_ends", **log, reached_at=second(-5), log_end_offset=20, log_start_offset=0)
    asked = "SELECT current_offset, is_known, lag FROM lag_at(?::TIMESTAMPTZ)"
    judged = "SELECT current_offset, rule FROM status_at(?::TIMESTAMPTZ)"
    assert database.execute(asked, [second(0.5)]).fetchall() == [(5, True, 15)]
    assert database.execute(asked, [second(5)]).fetchall() == [(None, False, None)]
    assert database.execute(judged, [second(0.5)]).fetchall() != [(None, None)]
    assert database.execute(judged, [second(5)]).fetchall() == [(None, None)]
    (group,) = database.execute("SELECT status FROM group_status_at(?::TIMESTAMPTZ)", [second(5)]).fetchall()
    assert group == (None,)


def test_a_group_that_moved_to_kafka_has_kafkas_offset(database: duckdb.DuckDBPyConnection) -> None:
    """Positions in a store are no offsets of a log: what the group left behind in ZooKeeper is older."""
    commit(database, 1, 5, log_partition=-3, log_offset=1 << 48, effective_log_offset=1 << 48, effective_at=second(1))
    commit(database, 2, 9)
    assert [state(database, at) for at in (1, 2, 3)] == [[(5, True, 5)], [(9, True, 9)], [(9, True, 9)]]


def test_a_gap_in_a_store_hides_what_came_before_it_of_its_own_key(database: duckdb.DuckDBPyConnection) -> None:
    """The reconstruction writes the gap without its beginning, for nobody knows since when commits are missing."""
    commit(database, 1, 5, log_partition=-3)
    commit(database, 2, 7, log_partition=-3, partition=1)
    place = {"cluster": "c", "log_partition": -3, "from_log_offset": 5, "to_log_offset": 6, "is_damage": False}
    insert(database, "core.log_gaps", **place, to_at=second(6))
    commit(database, 6, 9, log_partition=-3, is_previous_known=False)
    assert state(database, 4) == [(None, False, 5), (7, True, 7)]
    assert state(database, 6) == [(9, True, 9), (7, True, 7)]
