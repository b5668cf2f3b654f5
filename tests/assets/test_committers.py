"""Who stood behind a commit, by the macro: what core.commits says, and owners by names that only others tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.assets.test_models import KEY, insert, minute

if TYPE_CHECKING:
    import duckdb

PLACE = {"cluster": "c", "log_partition": 7, "group_id": "g"}
IDENTITY = {"client_id": "i", "client_host": "/h", "group_instance_id": "s"}


def commit(database: duckdb.DuckDBPyConnection, position: int, by: str | None, **values: Any) -> None:  # noqa: ANN401 - any column
    """A commit of g's t-0 at a log offset, and who is said to be behind it."""
    at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
    row = {**KEY, **at, "log_partition": 7, "kind": "advance", "committed_offset": 1, "is_transactional": False}
    insert(database, "core.commits", **{**row, "actor": by, **values})


def owner(database: duckdb.DuckDBPyConnection, begins: int, ends: int | None, end_reason: str | None = None) -> None:
    """An owner of partition 0 of the topic that is only known by its id, in two versions of the member."""
    name = f"m-{begins}"
    place = {**PLACE, "group_type": "consumer", "member_id": name, "topic_id": "id", "partition": 0}
    insert(database, "core.ownership", **place, log_offset=begins, until_log_offset=ends, end_reason=end_reason)
    for number in range(2):
        version = {**PLACE, "group_type": "consumer", "member_id": name, **IDENTITY}
        insert(database, "core.members", **version, log_offset=begins + number, generation=begins + number)


def committers(database: duckdb.DuckDBPyConnection, columns: str = "actor, member_id") -> list[tuple[Any, ...]]:
    """Who stood behind each commit, in the order of the log."""
    return database.execute(f"SELECT {columns} FROM committers('g') ORDER BY log_offset").fetchall()  # noqa: S608 - names


def test_what_the_replay_found_is_shown(database: duckdb.DuckDBPyConnection) -> None:
    """And nothing is added to it; all groups are asked for with NULL."""
    commit(database, 1, "owner", member_id="m", generation=3, **IDENTITY)
    commit(database, 2, "simple_consumer", group_id="h")
    columns = "actor, generation, member_id, client_id, client_host, group_instance_id"
    assert committers(database, columns) == [("owner", 3, "m", "i", "/h", "s")]
    assert database.execute("SELECT count(*) FROM committers(NULL)").fetchall() == [(2,)]


@pytest.fixture
def named(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A file or a broker said what the topic is called."""
    insert(database, "core.topics", cluster="c", topic="t", topic_id="id", last_seen_at=None)
    return database


def test_an_owner_by_topic_id_is_found_by_a_name_that_is_told_elsewhere(named: duckdb.DuckDBPyConnection) -> None:
    """The one at the commit's own place in the log, as it was there; not one that had given the partition up."""
    owner(named, 1, 5, "revoked")
    for position, by in ((2, "unknown"), (4, "transaction"), (6, "unknown"), (7, "admin"), (8, None)):
        commit(named, position, by)
    assert committers(named, "actor, member_id, generation, client_host") == [
        ("owner", "m-1", 2, "/h"),
        ("transaction", "m-1", 2, "/h"),
        ("unknown", None, None, None),
        ("admin", None, None, None),
        (None, None, None, None),
    ]


def test_an_owner_that_may_have_ended_in_a_hole_is_not_taken(named: duckdb.DuckDBPyConnection) -> None:
    """Nobody knows whether it owned the partition still."""
    owner(named, 1, None, "unknown")
    commit(named, 2, "unknown")
    assert committers(named) == [("unknown", None)]
