"""The DuckDB file elsewhere: in the oldest and the newest DuckDB, in a folder that was moved, and alone on a laptop."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.duckdb import database, portable
from assets.models import MACROS
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse
from tests.environments import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

LAG: Final = "mart.lag_now"
GROUPS: Final = ("payments", "it's")
COUNT: Final = "SELECT count(*) FROM mart.lag_now"
ANSWERED: Final = {
    "home_partition": "home_partition(java_hash('a\U0001f600'), 50)",
    "pseudonym": "pseudonym('payments', 'a secret')",
    "java_hash": "java_hash('a\U0001f600')",
}
VALUES: Final = {
    "ts": "now()",
    "from_ts": "now()",
    "to_ts": "now()",
    "grp": "'payments'",
    "tpc": "'orders'",
    "prt": "0",
    "retention_minutes": "10",
    "target": "'earliest'",
    "wanted": "'x'",
    "moves": "[{'cluster': 'c', 'group_id': 'g', 'topic': 't', 'partition': 0, 'target': 1}][:0]",
    "ranges": "'mart.log_coverage'",
    "topics_of": "'core.commits'",
}
ASK: Final = """
import duckdb, json, sys
file, questions = json.load(sys.stdin)
with duckdb.connect(file, read_only=True) as connection:
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SELECT * FROM duckdb_functions()").fetchall()
    print(json.dumps([str(connection.sql(question).fetchall()) for question in questions]))
"""


def fill(warehouse: Warehouse) -> None:
    """Every table, all empty but for mart.lag_now, with a row for each of two groups, and core.ownership, with one."""
    for table in TABLES.values():
        warehouse.append(table, (), {})
    same = {"cluster": "c", "topic": "orders", "partition": 0}
    put(warehouse, LAG, [{**same, "current_offset": 7, "is_known": True, "group_id": group} for group in GROUPS])
    owned = {"log_partition": 0, "log_offset": 1, "group_type": "classic", "member_id": "m", "seen_at": 0}
    put(warehouse, "core.ownership", [{**same, **owned, "group_id": "payments"}])


def put(warehouse: Warehouse, name: str, rows: list[dict[str, object]]) -> None:
    """Let a table have these rows."""
    table = TABLES[name]
    folder = Path(warehouse.new_folder(table))
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), folder / "rows.parquet")
    warehouse.replace(table, [describe_file(str(folder / "rows.parquet"))], {})


@pytest.fixture
def of_views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A warehouse whose DuckDB file has no copy of any table with rows, in a folder with a hostile name."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 1)
    warehouse = Warehouse(str(tmp_path / "it's a warehouse"))
    fill(warehouse)
    database.build(warehouse)
    return warehouse


def questions() -> Iterator[str]:
    """A question for each macro of users, each view's rows, and what the file says of itself."""
    for macro in (one for one in MACROS if not one.is_helper):
        arguments = [VALUES.get(name, "") for name in macro.arguments]
        arguments += [f"{name} := {VALUES[name]}" for name in macro.optional]
        call = ANSWERED.get(macro.name, f"{macro.name}({', '.join(arguments)})")
        yield f"FROM {call}" if macro.is_table else f"SELECT {call}"
    yield "SELECT group_id, current_offset, lag FROM mart.lag_now ORDER BY ALL"
    yield "SELECT url, release, clusters FROM warehouse"
    yield "SELECT kind, count(*), sum(row_count)::BIGINT FROM built_from GROUP BY ALL ORDER BY ALL"


@pytest.mark.parametrize(("name", "requirement"), [("oldest", "duckdb==1.2.*"), ("newest", "duckdb")])
def test_every_macro_and_view_answers_in_other_releases_of_duckdb(
    of_views: Warehouse, name: str, requirement: str
) -> None:
    """The oldest that the file is for and the newest of the index give the answers of the DuckDB that wrote it."""
    python = environment(f"duckdb-{name}", requirement, "pytz")
    asks = list(questions())
    given = json.dumps([str(of_views.duckdb_path), asks])
    done = subprocess.run([python, "-c", ASK], input=given, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(of_views.duckdb_path), read_only=True) as connection:
        own = [str(connection.sql(question).fetchall()) for question in asks]
    assert dict(zip(asks, json.loads(done.stdout), strict=True)) == dict(zip(asks, own, strict=True))


def _rows(connection: duckdb.DuckDBPyConnection, question: str) -> list[tuple[Any, ...]]:
    return connection.sql(question).fetchall()


def test_a_moved_warehouse_is_read_where_it_lies_now(of_views: Warehouse, tmp_path: Path) -> None:
    """At its own place without a word; elsewhere after `SET VARIABLE lagbook_folder = own_folder()`."""
    with duckdb.connect(str(of_views.duckdb_path), read_only=True) as connection:
        assert _rows(connection, COUNT) == [(2,)]
    moved = tmp_path / "moved"
    shutil.move(of_views.url, moved)
    with duckdb.connect(str(moved / "lagbook.duckdb"), read_only=True) as connection:
        with pytest.raises(duckdb.IOException):
            _rows(connection, COUNT)
        connection.execute("SET VARIABLE lagbook_folder = own_folder()")
        assert _rows(connection, COUNT) == [(2,)]
        assert _rows(connection, "FROM missing_files()") == []


def test_a_copy_says_which_tables_it_has_and_which_files_it_misses(of_views: Warehouse, tmp_path: Path) -> None:
    """`built_from` says what is a copy and what is a view; `missing_files` names files and the folder looked in."""
    copy = tmp_path / "laptop" / "lagbook.duckdb"
    copy.parent.mkdir()
    shutil.copy(of_views.duckdb_path, copy)
    with duckdb.connect(str(copy), read_only=True) as connection:
        kinds = dict(_rows(connection, "SELECT table_name, kind FROM built_from"))
        assert {name for name, kind in kinds.items() if kind == "view"} == {LAG}
        portable.look_beside(connection, copy)
        assert portable.missing_tables(connection) == [LAG]
        ((_, file, folder),) = _rows(connection, "FROM missing_files()")
        assert (Path(of_views.url) / file).exists()
        assert folder == str(copy.parent)


def test_a_pseudonym_is_the_same_for_the_same_secret_and_says_nothing_of_the_name(of_views: Warehouse) -> None:
    """So exports can be joined with each other; with another secret it is another, and of NULL there is none."""
    ask = (
        "SELECT pseudonym('payments', 's'), pseudonym('payments', 't'), pseudonym('orders', 's'), pseudonym(NULL, 's')"
    )
    with duckdb.connect(str(of_views.duckdb_path), read_only=True) as connection:
        ((one, other_secret, other_name, none),) = _rows(connection, ask)
        assert _rows(connection, "SELECT pseudonym('payments', 's')") == [(one,)]
    assert len({one, other_secret, other_name}) == 3
    assert none is None
    assert len(one) == 16


def test_rows_of_a_table_are_counted_in_the_file(of_views: Warehouse) -> None:
    """With the instant of the build, the release and the commit of each table beside them."""
    with duckdb.connect(str(of_views.duckdb_path), read_only=True) as connection:
        assert _rows(
            connection, "SELECT kind, row_count, version FROM built_from WHERE table_name = 'mart.lag_now'"
        ) == [("view", 2, 1)]
        assert _rows(connection, "SELECT url, built_at <= now(), clusters FROM warehouse") == [(of_views.url, True, [])]
