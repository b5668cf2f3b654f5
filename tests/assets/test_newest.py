"""What time it was when a cluster was read last, as far as its records can be trusted: `newest_of`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

READ: Final = "2026-01-01 12:00:00+00"


def newest(database: duckdb.DuckDBPyConnection, times: Sequence[str]) -> list[tuple[str, str]]:
    """What is said of commits of one cluster at some times."""
    for at in times:
        database.execute("INSERT INTO core.commits (cluster, effective_at) VALUES ('c', ?)", [at])
    return database.sql("SELECT cluster, newest_at::VARCHAR FROM _newest_of('core.commits')").fetchall()


@pytest.fixture
def read(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A database into which the offsets topic was read at noon, and a data topic later."""
    database.execute("SET TimeZone = 'UTC'")
    for topic, at in (("__consumer_offsets", READ), ("t", "2026-01-01 18:00:00+00")):
        database.execute("INSERT INTO raw.segments (cluster, topic, read_at) VALUES ('c', ?, ?)", [topic, at])
    return database


def test_no_record_is_newer_than_its_reading(read: duckdb.DuckDBPyConnection) -> None:
    """One of a wrong time leaves the newest of the others."""
    answer = newest(read, ["2026-01-01 11:00:00+00", "2026-01-01 13:00:00+00", "9999-12-31 00:00:00+00"])
    assert answer == [("c", "2026-01-01 11:00:00+00")]


def test_clocks_may_be_minutes_apart(read: duckdb.DuckDBPyConnection) -> None:
    """A broker's clock that is a little ahead is no wrong one."""
    assert newest(read, ["2026-01-01 11:00:00+00", "2026-01-01 12:04:00+00"]) == [("c", "2026-01-01 12:04:00+00")]


def test_where_all_records_are_newer_the_clocks_differ(read: duckdb.DuckDBPyConnection) -> None:
    """Then the newest of all it is."""
    assert newest(read, ["2027-01-01 11:00:00+00", "2027-01-01 12:00:00+00"]) == [("c", "2027-01-01 12:00:00+00")]


def test_without_a_reading_nothing_is_doubted(database: duckdb.DuckDBPyConnection) -> None:
    """As of times in tables that were made without any log."""
    database.execute("SET TimeZone = 'UTC'")
    assert newest(database, ["2026-01-01 11:00:00+00"]) == [("c", "2026-01-01 11:00:00+00")]
