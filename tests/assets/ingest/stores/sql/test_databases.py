"""Databases that are read: SQLite in the suite, a real Postgres beside it, and what a refusal never says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.stores.declared import SqlTable
from assets.ingest.stores.sql.databases import rows_of
from parsers.errors import SourceError, StoreError
from tests.assets.ingest.stores.sql.declared_tables import CREATE, WRITE, declared, run
from tests.postgres import PASSWORD, running

if TYPE_CHECKING:
    from pathlib import Path

ROW: Final = ("g", "orders", 0, 10, None)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with one row."""
    path = tmp_path / "b?%.db"
    run(path, CREATE)
    run(path, WRITE, ROW)
    return path


def _rows(table: SqlTable, after: int | None = None, limit: int | None = None) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows_of(table, table.statement(after, limit))]


def test_rows_come_in_the_order_of_our_columns(database: Path) -> None:
    """Also from a query with a comment at its end, and of a history only those behind a position."""
    run(database, WRITE, ("g", "orders", 1, 20, None))
    assert _rows(declared(database)) == [("g", "orders", 0, 10), ("g", "orders", 1, 20)]
    by_query = replace(declared(database), query='SELECT * FROM "consumer offsets" WHERE part = 1 -- the second')
    assert _rows(by_query) == [("g", "orders", 1, 20)]
    assert _rows(declared(database, is_history=True), after=1) == [("g", "orders", 1, 20, 2)]
    assert _rows(declared(database, is_history=True), after=0, limit=1) == [("g", "orders", 0, 10, 1)]


def test_nothing_is_ever_written(database: Path) -> None:
    """Not even by a query that would."""
    table = replace(declared(database), query='DELETE FROM "consumer offsets" RETURNING *')
    with pytest.raises(SourceError, match=r"stores.toml: \[tables.billing\]"):
        _rows(table)
    assert len(_rows(declared(database))) == 1


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    """It is refused with its name."""
    with pytest.raises(
        SourceError, match=r"\[tables.billing\] sqlite: expected a database, found no file .*nowhere.db"
    ):
        _rows(declared(tmp_path / "nowhere.db"))
    assert not (tmp_path / "nowhere.db").exists()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """And a column that is not there."""
    (tmp_path / "b.db").write_text("no database" * 1000)
    with pytest.raises(SourceError, match="file is not a database"):
        _rows(declared(tmp_path / "b.db"))


def test_a_missing_column_is_refused(database: Path) -> None:
    """SQLite would take a quoted name without a column for a text."""
    with pytest.raises(SourceError, match=r"no such column: stored\.missing"):
        _rows(declared(database, metadata="missing"))


def test_a_locked_database_is_one_that_does_not_answer(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later run may read it."""
    monkeypatch.setattr("assets.ingest.stores.sql.databases.WAIT_S", 0.01)
    with closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="database is locked"):
            _rows(declared(database))


def _postgres(connection_string: str) -> SqlTable:
    return replace(declared_postgres(), postgres=lambda: connection_string)


def declared_postgres() -> SqlTable:
    """A declaration without a connection."""
    columns = {"topic": "topic", "partition": "part", "committed_offset": "Next", "changed_at": "at", "position": "id"}
    return SqlTable(
        "ledger", "stores.toml: [tables.ledger]", columns, "public.ledger", None, group_id="g", is_history=True
    )


@pytest.mark.parametrize(
    "connection_string",
    [f"postgresql://u:{PASSWORD}@127.0.0.1:1/d", f"host=127.0.0.1 port=1 password={PASSWORD}", f"nonsense {PASSWORD}"],
)
def test_a_server_that_is_away_is_refused_without_the_connection_string(connection_string: str) -> None:
    """Nothing of a password is said, however the string is malformed."""
    with pytest.raises(StoreError, match=r"\[tables.ledger\]: Postgres can't be reached: (Conn|the conn)") as refusal:
        _rows(_postgres(connection_string))
    assert PASSWORD not in str(refusal.value)


def test_a_real_postgres_gives_its_rows_and_takes_no_change() -> None:
    """Numbers, decimals and times; a wrong password, a missing table and a query that writes are refused."""
    with running() as server:
        server.run(
            'CREATE TABLE ledger (id bigserial, topic text, part int, "Next" numeric(20), at timestamptz);'
            "INSERT INTO ledger (topic, part, \"Next\", at) VALUES ('orders', 0, 10, '2026-11-20 12:00:00+00'),"
            "('orders', 1, NULL, NULL)"
        )
        table = _postgres(server.connection_string)
        first, second = _rows(table, after=0)
        assert (first[:2], str(first[2]), first[4]) == (("orders", 0), "10", 1)
        assert str(first[3]) == "2026-11-20 12:00:00+00:00"
        assert second == ("orders", 1, None, None, 2)
        with pytest.raises(StoreError, match="password authentication failed") as refusal:
            _rows(_postgres(server.connection_string.replace(PASSWORD, "wrong-one")))
        assert "wrong-one" not in str(refusal.value)
        with pytest.raises(SourceError, match="Postgres refused the query"):
            _rows(replace(table, table="missing"))
        with pytest.raises(SourceError, match="refused"):
            _rows(replace(table, query="DELETE FROM ledger RETURNING *"))
        assert len(_rows(table)) == 2
