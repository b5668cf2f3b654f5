"""The DuckDB file: described, complete, swapped in without disturbing who reads the old one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.duckdb import database
from assets.models import MACROS, Macro
from assets.models.lineage import BINDINGS
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

ARGUMENTS = {
    **dict.fromkeys(("ts", "from_ts", "to_ts"), "now()"),
    **dict.fromkeys(("grp", "tpc"), "NULL"),
    **dict.fromkeys(("prt", "retention_minutes"), "10"),
    "ranges": "'mart.log_coverage'",
    "commits": "'core.commits'",
    **dict.fromkeys(("rows_of", "topics_of", "partitions_of", "removals_of"), "'core.commits'"),
    "moments_of": "'moments'",
    "times_of": "'core.commits'",
    "moves": "[{'cluster': 'c', 'group_id': 'g', 'topic': 't', 'partition': 0, 'target': 1}][:0]",
    "target": "'earliest'",
    "kind_of": "'group'",
    "wanted": "NULL",
    "is_due": "TRUE",
    "verdicts_of": "'verdicts'",
    "ranges_of": "'numbered_ranges'",
    "logs_of": "'numbered_logs'",
    "offsets_of": "'mirrored_offsets'",
}


def _empty(folder: Path) -> Warehouse:
    """A warehouse in which every table exists and is empty."""
    empty = Warehouse(str(folder))
    for table in TABLES.values():
        empty.append(table, (), {})
    return empty


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse of one's own."""
    return _empty(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file of an empty warehouse, for those who only read it."""
    warehouse = _empty(tmp_path_factory.mktemp("built"))
    database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        connection.execute("CREATE TEMP VIEW moments AS SELECT *, reached_at AS moment FROM core.log_ends")
        connection.execute(
            "CREATE TEMP VIEW verdicts AS SELECT cluster, group_id, NULL AS topic, 0 AS partition, 0 AS as_of_ms, lag,"
            " deciding_rule AS rule, deciding_rule AS strict_rule, log_partition, log_offsets FROM mart.group_status"
        )
        connection.execute(
            "CREATE TEMP VIEW numbered_logs AS SELECT cluster, topic, partition, 1 AS log FROM core.log_ends"
        )
        connection.execute(
            "CREATE TEMP VIEW numbered_ranges AS SELECT 1 AS log, from_offset, to_offset FROM mart.log_coverage"
        )
        connection.execute(
            "CREATE TEMP VIEW mirrored_offsets AS SELECT 1 AS number, cluster AS syncs_cluster, syncs_topic,"
            " topic AS source_topic, partition, upstream_offset, synced_at AS at_ts FROM core.mirror_offset_syncs"
        )
        yield connection


def test_every_table_and_column_is_there_and_described(built: duckdb.DuckDBPyConnection) -> None:
    """The comments are the ones of the description; the types are DuckDB's for the Arrow ones."""
    rows = built.sql("SELECT schema_name || '.' || table_name, column_name, comment FROM duckdb_columns()").fetchall()
    described = {(name, column.name, column.comment) for name, table in TABLES.items() for column in table.columns}
    assert described <= set(rows)


def test_every_macro_for_users_has_its_comment_and_no_helper_has_one(built: duckdb.DuckDBPyConnection) -> None:
    """`duckdb_functions()` shows what a macro returns; names of helpers begin with `_`."""
    rows = built.sql(
        "SELECT DISTINCT function_name, comment FROM duckdb_functions()"
        " WHERE function_type IN ('macro', 'table_macro') AND NOT internal"
    ).fetchall()
    comments = {macro.name: None if macro.is_helper else macro.meaning for macro in MACROS}
    assert {name: comment for name, comment in rows if name not in BINDINGS} == comments
    assert [name for name, comment in rows if (comment is None) != name.startswith("_")] == []


@pytest.mark.parametrize("macro", [macro for macro in MACROS if macro.is_table], ids=lambda macro: macro.name)
def test_every_macro_answers_on_empty_tables(built: duckdb.DuckDBPyConnection, macro: Macro) -> None:
    """A macro that names a column that is not there would fail here."""
    arguments = ", ".join(ARGUMENTS[argument] for argument in macro.arguments)
    assert built.sql(f"FROM {macro.name}({arguments})").fetchall() == []


def test_the_marts_that_macros_make_have_the_described_columns(built: duckdb.DuckDBPyConnection) -> None:
    """`offsets_now` is `state_at`, `lag_now` is `lag_at`: their columns can't drift apart."""
    for macro, name in (("state_at", "mart.offsets_now"), ("lag_at", "mart.lag_now")):
        assert tuple(built.sql(f"FROM {macro}(now())").columns) == TABLES[name].column_names


def test_a_file_of_other_tables_is_not_current(warehouse: Warehouse) -> None:
    """It is current after a build, and no longer when a table got a commit."""
    assert not database.is_current(warehouse)
    database.build(warehouse)
    assert database.is_current(warehouse)
    warehouse.replace(TABLES["core.commits"], (), {})
    assert not database.is_current(warehouse)


def test_copies_are_bounded_in_all(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest tables are copied, as long as they have few enough rows together; a build is no dearer later."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 10)
    for name, count in (("mart.offsets_now", 4), ("mart.lag_now", 6), ("mart.lag", 7)):
        folder = Path(warehouse.new_folder(TABLES[name]))
        folder.mkdir(parents=True)
        schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].file_schema])
        pq.write_table(pa.table([pa.nulls(count, field.type) for field in schema], schema=schema), folder / "a.parquet")
        warehouse.replace(TABLES[name], [describe_file(str(folder / "a.parquet"))], {})
    built = database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        views = connection.sql(
            "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
        assert views == [("mart.lag",)]
        assert connection.sql("SELECT count(*) FROM mart.lag").fetchall() == [(built["mart.lag"],)] == [(7,)]


def test_a_reader_keeps_what_it_has_open(warehouse: Warehouse) -> None:
    """A build while somebody reads disturbs neither."""
    database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as reader:
        warehouse.replace(TABLES["core.commits"], (), {})
        database.build(warehouse)
        assert reader.sql("SELECT count(*) FROM core.commits").fetchall() == [(0,)]
    assert database.is_current(warehouse)


def test_a_file_that_is_open_for_writing_elsewhere_is_left_alone(warehouse: Warehouse) -> None:
    """One sentence names the file; nothing is left beside it."""
    database.build(warehouse)
    path = str(warehouse.duckdb_path)
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(WarehouseError, match=r"lagbook\.duckdb is open for writing elsewhere"):
            database.build(warehouse)
        holder.communicate("")
    assert [entry.name for entry in warehouse.duckdb_path.parent.iterdir() if entry.name.startswith(".")] == []


def test_a_file_that_is_no_database_is_made_anew(warehouse: Warehouse) -> None:
    """Cut off by a full disk, or copied half: nobody has it open, so that there is nothing to close."""
    database.build(warehouse)
    whole = warehouse.duckdb_path.read_bytes()
    for content in (b"", b"garbage" * 1000, whole[: len(whole) // 2]):
        warehouse.duckdb_path.write_bytes(content)
        assert content == b"" or not database.is_current(warehouse)
        database.build(warehouse)
        assert database.is_current(warehouse)


def test_a_broken_file_of_a_table_is_a_sentence(warehouse: Warehouse) -> None:
    """It names the table and the file."""
    folder = Path(warehouse.new_folder(TABLES["core.commits"]))
    folder.mkdir(parents=True)
    pq.write_table(TABLES["core.commits"].file_schema.empty_table(), folder / "a.parquet")
    warehouse.append(TABLES["core.commits"], [describe_file(str(folder / "a.parquet"))], {})
    (folder / "a.parquet").write_bytes(b"garbage" * 100)
    with pytest.raises(WarehouseError, match=r"core\.commits: a file of the table can't be read: .*a\.parquet"):
        database.in_memory(warehouse, ["core.commits"]).__enter__()


def test_another_name_of_a_column_is_a_sentence(warehouse: Warehouse) -> None:
    """As a bit that flips in a footer makes it."""
    folder = Path(warehouse.new_folder(TABLES["core.commits"]))
    folder.mkdir(parents=True)
    pq.write_table(TABLES["core.commits"].file_schema.empty_table(), folder / "a.parquet")
    warehouse.append(TABLES["core.commits"], [describe_file(str(folder / "a.parquet"))], {})
    (folder / "a.parquet").write_bytes((folder / "a.parquet").read_bytes().replace(b"group_id", b"group_ie"))
    with pytest.raises(WarehouseError, match=r"core\.commits: a file of the table can't be read: .*group_id"):
        database.in_memory(warehouse, ["core.commits"]).__enter__()


def test_what_memory_cannot_hold_goes_to_the_warehouse_and_is_gone_at_the_end(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never into the folder that the caller stands in; and tidying knows what a run that died left."""
    standing = tmp_path / "standing"
    standing.mkdir()
    monkeypatch.chdir(standing)
    with database.in_memory(warehouse, ["core.commits"]) as connection:
        connection.execute("SET memory_limit = '200MB'")
        connection.execute("CREATE TABLE kept AS SELECT hash(n) AS n FROM range(40000000) AS numbers(n)")
        (spill,) = tmp_path.glob("spool-*")
        assert list(spill.iterdir())
    assert not spill.exists()
    assert not list(standing.iterdir())


def test_a_database_without_a_file_leaves_memory_to_others(warehouse: Warehouse) -> None:
    """DuckDB takes four fifths of the machine's by default, and Spark has its own."""
    limit = "SELECT parse_formatted_bytes(current_setting('memory_limit'))"
    with duckdb.connect() as alone, database.in_memory(warehouse, ()) as connection:
        ((most,),), ((given,),) = alone.sql(limit).fetchall(), connection.sql(limit).fetchall()
    assert given == pytest.approx(most * 5 / 8, rel=0.01)


def test_looking_back_from_many_instants_sorts_them(warehouse: Warehouse) -> None:
    """However few rows a list is expected to have: to compare each with all log ends of a partition takes minutes."""
    looked = "SELECT unnest(range(10)) AS looked_at FROM range(3)"
    with database.in_memory(warehouse, ()) as connection:
        connection.execute("CREATE TABLE ends AS SELECT range AS reached_at FROM range(1000)")
        plan = connection.execute(f"EXPLAIN FROM ({looked}) ASOF JOIN ends ON looked_at >= reached_at").fetchall()
    assert "Asof Join" in plan[0][1]
    assert "Nested Loop" not in plan[0][1]
