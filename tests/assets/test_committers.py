"""Who stood behind a commit: what the macro concludes from owners and states, and what it leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.assets.test_models import KEY, insert, minute

if TYPE_CHECKING:
    import duckdb

PLACE = {"cluster": "c", "log_partition": 7, "group_id": "g"}
MEMBER = {"client_id": "i", "client_host": "/h", "group_instance_id": "s", "generation": 3, "last_generation": 4}


def commit(database: duckdb.DuckDBPyConnection, position: int, **said: Any) -> None:  # noqa: ANN401 - any column
    """A commit of g's t-0 at a log offset."""
    at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
    row = {**KEY, **at, "log_partition": 7, "kind": "advance", "committed_offset": 1, "is_transactional": False, **said}
    insert(database, "core.commits", **row)


def owner(database: duckdb.DuckDBPyConnection, begins: int, ends: int | None, **said: Any) -> None:  # noqa: ANN401
    """An owner of g's t-0 from one log offset to another."""
    row = {**KEY, **PLACE, **MEMBER, "log_offset": begins, "until_log_offset": ends, "member_id": f"m-{begins}", **said}
    insert(database, "core.ownership", **row)


def state(database: duckdb.DuckDBPyConnection, position: int, name: str | None, generation: int | None = 3) -> None:
    """A state of g that was written at a log offset."""
    insert(database, "core.generations", **PLACE, log_offset=position, state=name, generation=generation)


def committers(database: duckdb.DuckDBPyConnection, columns: str = '"by", member_id') -> list[tuple[Any, ...]]:
    """Who stood behind each commit, in the order of the log."""
    return database.execute(f"SELECT {columns} FROM committers('g') ORDER BY log_offset").fetchall()  # noqa: S608 - names


def test_an_owner_commits_while_it_owns(database: duckdb.DuckDBPyConnection) -> None:
    """The one at the commit's own place in the log; and who came after it, once it does."""
    state(database, 1, "Stable")
    owner(database, 1, 5)
    owner(database, 5, None)
    for position in (2, 5, 9):
        commit(database, position)
    assert committers(database) == [("owner", "m-1"), ("owner", "m-5"), ("owner", "m-5")]
    told = committers(database, "generation, client_id, host, group_instance_id")
    assert told[0] == (3, "i", "/h", "s")


def test_a_commit_after_the_hand_over_is_a_former_owners(database: duckdb.DuckDBPyConnection) -> None:
    """Nobody owns the partition, and the group has members."""
    state(database, 1, "Stable")
    owner(database, 1, 5)
    commit(database, 6)
    assert committers(database) == [("former owner", "m-1")]


def test_without_members_an_admin_commits(database: duckdb.DuckDBPyConnection) -> None:
    """Who owned the partition before has nothing to do with it."""
    state(database, 1, "Stable")
    owner(database, 1, 5)
    state(database, 5, "Empty", 4)
    commit(database, 6)
    assert committers(database, '"by", member_id, generation') == [("admin", None, 4)]


def test_a_group_of_which_nothing_was_written_assigns_itself(database: duckdb.DuckDBPyConnection) -> None:
    """But where its first record stands behind the commit, what it was before is not known."""
    commit(database, 1)
    assert committers(database) == [("simple consumer", None)]
    state(database, 2, "Stable")
    assert committers(database) == [("unknown", None)]


@pytest.mark.parametrize("name", [None, "Removed", "Converted"])
def test_a_group_in_no_state_leaves_it_open(database: duckdb.DuckDBPyConnection, name: str | None) -> None:
    """As does one with members of which none ever owned the partition."""
    state(database, 1, name)
    owner(database, 1, None)
    commit(database, 2)
    assert committers(database) == [("unknown", None)]


def test_transactions_and_removals_are_nobodys_guess(database: duckdb.DuckDBPyConnection) -> None:
    """A transaction is told with the owner at the time, a removal is the coordinator's."""
    state(database, 1, "Stable")
    owner(database, 1, None)
    commit(database, 2, is_transactional=True, producer_id=9)
    commit(database, 3, kind="removed", committed_offset=None)
    assert committers(database) == [("transaction", "m-1"), ("coordinator", None)]


def test_owners_by_topic_id_are_found_by_its_name(database: duckdb.DuckDBPyConnection) -> None:
    """Groups of the new protocol write ids alone."""
    state(database, 1, "Stable")
    insert(database, "core.topics", cluster="c", topic="t", topic_id="id", last_seen_at=minute(1))
    owner(database, 1, None, topic=None, topic_id="id")
    commit(database, 2)
    assert committers(database) == [("owner", "m-1")]


def test_all_groups_are_asked_for_with_null(database: duckdb.DuckDBPyConnection) -> None:
    """And one group does not hear of another's commits."""
    commit(database, 1)
    commit(database, 2, group_id="h")
    assert len(committers(database)) == 1
    assert database.execute("SELECT count(*) FROM committers(NULL)").fetchall() == [(2,)]
