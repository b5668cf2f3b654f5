"""The evidence behind one offset, on a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

KEY = {"cluster": "c", "group_id": "g", "log_partition": 7}


def minute(position: int) -> str:
    """An instant on the first day of 2026."""
    return f"2026-01-01 00:{position:02d}:00+00"


def insert(database: duckdb.DuckDBPyConnection, name: str, position: int, **row: Any) -> None:  # noqa: ANN401 - a value of any column
    """Add a row of group g that stands in the log at `position`."""
    values = {**KEY, "log_offset": position, **row}
    marks = ", ".join("?" * len(values))
    database.execute(f"INSERT INTO {name} ({', '.join(values)}) VALUES ({marks})", list(values.values()))  # noqa: S608 - names that the tests write


def commit(database: duckdb.DuckDBPyConnection, position: int, kind: str, before: int | None, now: int | None) -> None:
    """A commit of t-0 at `position` minutes past midnight."""
    values = {"kind": kind, "previous_offset": before, "committed_offset": now, "effective_log_offset": position}
    place = {"topic": "t", "partition": 0, "effective_at": minute(position)}
    insert(database, "core.commits", position, **place, **values)


def state(database: duckdb.DuckDBPyConnection, position: int, word: str) -> None:
    """A generation, and the state of the group with it."""
    insert(database, "core.generations", position, state=word, generation=position, from_at=minute(position))
    insert(database, "core.group_states", position, state=word, generation=position, from_at=minute(position))


def lines_of(
    database: duckdb.DuckDBPyConnection, columns: str, begin: str = "-infinity", end: str = "infinity"
) -> list[tuple[Any, ...]]:
    """What is told of g's t-0."""
    query = f"SELECT {columns} FROM explain('g', 't', 0, ?::TIMESTAMPTZ, ?::TIMESTAMPTZ)"  # noqa: S608 - names that the tests write
    return database.execute(query, [begin, end]).fetchall()


def test_commits_that_read_on_are_told_as_one(database: duckdb.DuckDBPyConnection) -> None:
    """With how many there were, from where to where, and both ends in the log; other partitions are left out."""
    commit(database, 1, "first", None, 10)
    commit(database, 2, "advance", 10, 20)
    commit(database, 3, "repeat", 20, 20)
    commit(database, 4, "advance", 7, 8)
    database.execute("UPDATE core.commits SET partition = 1 WHERE log_offset = 4")
    commit(database, 5, "advance", 20, 30)
    columns = "event, commits, from_offset, to_offset, log_offset, until_log_offset"
    assert lines_of(database, columns) == [("first", 1, None, 10, 1, 1), ("read_on", 3, 10, 30, 2, 5)]


def test_who_stood_behind_a_commit_is_told(database: duckdb.DuckDBPyConnection) -> None:
    """And where another one reads on, another row begins."""
    for position, by, member in ((1, "owner", "m-1"), (2, "owner", "m-1"), (3, "former_owner", "m-0")):
        commit(database, position, "advance", position * 10 - 10, position * 10)
        database.execute(
            'UPDATE core.commits SET "actor" = ?, member_id = ?, client_host = ? WHERE log_offset = ?',
            [by, member, "/h", position],
        )
    assert lines_of(database, "event, commits, actor, member_id, client_host") == [
        ("read_on", 2, "owner", "m-1", "/h"),
        ("read_on", 1, "former_owner", "m-0", "/h"),
    ]


def test_what_is_no_reading_stands_alone(database: duckdb.DuckDBPyConnection) -> None:
    """Set-backs, removals, and whatever is committed while the group has no members."""
    state(database, 1, "Stable")
    commit(database, 2, "first", None, 10)
    commit(database, 3, "rewind", 10, 5)
    state(database, 4, "Empty")
    commit(database, 5, "advance", 5, 50)
    commit(database, 6, "removed", 50, None)
    rows = [row for row in lines_of(database, "event, from_offset, to_offset, detail") if row[0] != "group"]
    assert rows == [
        ("first", None, 10, "Stable"),
        ("rewind", 10, 5, "Stable"),
        ("advance", 5, 50, "Empty"),
        ("removed", 50, None, "Empty"),
    ]


def test_offsets_that_were_passed_over_are_not_read_on(database: duckdb.DuckDBPyConnection) -> None:
    """A commit by which they were, as proven or likely, stands apart, with how; what is only possible does not."""
    for position in range(1, 5):
        commit(database, position, "advance", position * 10 - 10, position * 10)
    for position, certainty in ((2, "likely"), (4, "possible")):
        values = {"topic": "t", "partition": 0, "kind": "overtaken_by_log_start", "certainty": certainty}
        insert(database, "mart.skips", position, **values)
    assert lines_of(database, "event, from_offset, to_offset, cause") == [
        ("read_on", 0, 10, None),
        ("passed_over", 10, 20, "overtaken_by_log_start"),
        ("read_on", 20, 40, None),
    ]


def test_a_removal_says_why(database: duckdb.DuckDBPyConnection) -> None:
    """And how long the offset had stood; commits say neither."""
    commit(database, 1, "first", None, 10)
    commit(database, 2, "removed", 10, None)
    database.execute("UPDATE core.commits SET cause = 'expired', idle_ms = 60000 WHERE log_offset = 2")
    assert lines_of(database, "event, cause, idle_ms") == [("first", None, None), ("removed", "expired", 60_000)]


def test_a_topic_made_anew_is_told(database: duckdb.DuckDBPyConnection) -> None:
    """From when on it had another id; the first one is no event, nor are samples of one id."""
    commit(database, 1, "first", None, 10)
    for position, topic, topic_id in (
        (0, "t", "A"),
        (2, "t", "A"),
        (3, "t", None),
        (5, "t", "B"),
        (6, "t", "B"),
        (7, "u", "C"),
    ):
        database.execute(
            "INSERT INTO core.log_ends (cluster, topic, partition, topic_id, reached_at) VALUES ('c', ?, 0, ?, ?)",
            [topic, topic_id, minute(position)],
        )
    events = lines_of(database, "event, detail, occurred_at::VARCHAR")
    assert [(event, detail, at[14:16]) for event, detail, at in events if event == "new_topic"] == [
        ("new_topic", "B", "05")
    ]


def test_another_generation_begins_another_run(database: duckdb.DuckDBPyConnection) -> None:
    """The state of the group stands between, at its place in the log."""
    state(database, 1, "Stable")
    commit(database, 2, "advance", 10, 20)
    state(database, 3, "Stable")
    commit(database, 4, "advance", 20, 30)
    rows = lines_of(database, "event, generation, log_offset")
    assert rows == [("group", 1, 1), ("read_on", 1, 2), ("group", 3, 3), ("read_on", 3, 4)]


def test_owners_come_and_go(database: duckdb.DuckDBPyConnection) -> None:
    """By name, or by the id of a topic that is known by it; those of other partitions are left out."""
    member = {"member_id": "m", "client_id": "i", "client_host": "/h"}
    span = {"seen_at": minute(1), "until_log_offset": 3, "until_at": minute(3), "end_reason": "revoked"}
    insert(database, "core.ownership", 1, topic="t", partition=0, generation=1, last_generation=2, **member, **span)
    insert(database, "core.ownership", 1, topic="t", partition=1, generation=1, **member, seen_at=minute(1))
    insert(database, "core.ownership", 4, topic_id="ID", partition=0, generation=3, **member, seen_at=minute(4))
    insert(database, "core.ownership", 5, topic_id="OTHER", partition=0, generation=3, **member, seen_at=minute(5))
    database.execute("INSERT INTO core.topics (cluster, topic_id, topic) VALUES ('c', 'ID', 't'), ('c', 'OTHER', 'u')")
    assert lines_of(database, "event, log_offset, member_id, client_host, generation, detail") == [
        ("owned", 1, "m", "/h", 1, None),
        ("given_up", 3, "m", "/h", 2, "revoked"),
        ("owned", 4, "m", "/h", 3, None),
    ]


def test_a_window_has_what_reaches_into_it(database: duckdb.DuckDBPyConnection) -> None:
    """Reading on that began before it is in it; what happened at an unknown time may be."""
    commit(database, 1, "first", None, 10)
    commit(database, 2, "advance", 10, 20)
    commit(database, 9, "advance", 20, 30)
    commit(database, 12, "rewind", 30, 5)
    database.execute("UPDATE core.commits SET effective_at = NULL WHERE log_offset = 1")
    rows = lines_of(database, "event, log_offset", minute(5), minute(10))
    assert rows == [("read_on", 2), ("first", 1)]


def test_the_log_start_is_told_where_it_moved(database: duckdb.DuckDBPyConnection) -> None:
    """As it was found; at zero nothing was lost."""
    place = "(cluster, topic, partition, reached_at, log_start_offset, source)"
    database.execute(
        f"INSERT INTO core.log_ends {place} VALUES ('c', 't', 0, ?, 0, 'live'), ('c', 't', 0, ?, 60, 'live'),"  # noqa: S608 - our own names
        " ('c', 'u', 0, ?, 70, 'live')",
        [minute(1), minute(2), minute(3)],
    )
    assert lines_of(database, "event, to_offset, detail, log_offset") == [("log_start", 60, "live", None)]
