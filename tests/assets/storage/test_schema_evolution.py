"""A warehouse of another release: it takes the columns of this one, or a sentence says what to do."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from assets.catalog import TABLES, Column, Table
from assets.duckdb import database
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage.schema_evolution import fit, has_every_column
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError
from tests.assets.inline import inline

SEGMENTS = Path(__file__).resolve().parents[2] / "bytes" / "dump" / "features-4.1"
RECORDS = "raw.offset_records"
OLD_REQUIRED = {"batch_base_offset", "is_transactional", "is_control", "is_tombstone"}
A, B, C = Column("a", pa.int64(), "A.", required=True), Column("b", pa.int32(), "B."), Column("c", pa.string(), "C.")
SMALL = Table("raw", "x", "A table.", ("a",), (A, B))


def earlier(table: Table) -> Table:
    """The table as it was before dumps were sources: without `told_by`, and with more that is never NULL."""
    columns = [
        replace(column, required=column.required or column.name in OLD_REQUIRED)
        for column in table.columns
        if column.name != "source"
    ]
    return replace(table, columns=tuple(columns), rare=table.rare - {"source"})


def run(warehouse: Warehouse, logs: Path) -> int:
    """One run; returns the new records."""
    return ingest(inline, warehouse, plan(warehouse, Sources((str(logs),), "c"))).rows[RECORDS]


def fields(warehouse: Warehouse, name: str) -> dict[str, bool]:
    """The columns that a table's log tells, and whether each may be NULL."""
    delta = warehouse.open_table(name)
    assert delta is not None
    return {field.name: field.nullable for field in delta.schema().fields}


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def test_an_earlier_warehouse_is_read_on(warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tables get the new columns, its rows stay, new ones come, and every reader sees all columns."""
    names = ("__consumer_offsets-0", "__consumer_offsets-7")
    shutil.copytree(SEGMENTS / names[0], tmp_path / "logs" / names[0])
    with monkeypatch.context() as release:
        for name in (RECORDS, "raw.diverged_records"):
            release.setitem(TABLES, name, earlier(TABLES[name]))
        before = run(warehouse, tmp_path / "logs")
    assert "source" not in fields(warehouse, RECORDS)
    shutil.copytree(SEGMENTS / names[1], tmp_path / "logs" / names[1])
    after = run(warehouse, tmp_path / "logs")
    assert before > 0
    assert after > 0
    wanted = {column.name: not column.required for column in TABLES[RECORDS].columns}
    assert fields(warehouse, RECORDS) == wanted
    database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        assert connection.sql("SELECT count(*), count(source) FROM raw.offset_records").fetchall() == [
            (before + after, 0)
        ]


def test_a_table_as_it_is_now_is_left_alone(warehouse: Warehouse) -> None:
    """There is no commit, and no file."""
    warehouse.begin(SMALL)
    fit(warehouse, [SMALL, TABLES[RECORDS]])
    assert (warehouse.version("raw.x"), warehouse.files("raw.x"), warehouse.version(RECORDS)) == (0, [], None)


def test_a_table_keeps_its_note_when_it_gets_columns(warehouse: Warehouse) -> None:
    """A change of columns is no commit of a run: how far sources were read is still known."""
    warehouse.begin(SMALL).remember({"recorded": {"a.samples": [7, 9]}})
    fit(warehouse, [replace(SMALL, columns=(A, B, C))])
    assert fields(warehouse, "raw.x").keys() == {"a", "b", "c"}
    assert warehouse.note("raw.x") == {"recorded": {"a.samples": [7, 9]}}


def test_a_migration_that_died_is_ended(warehouse: Warehouse) -> None:
    """Whatever of it was done, the next run does the rest."""
    warehouse.begin(SMALL)
    fit(warehouse, [replace(SMALL, columns=(A, B, C))])
    fit(warehouse, [replace(SMALL, columns=(replace(A, required=False), B, C))])
    assert fields(warehouse, "raw.x") == {"a": True, "b": True, "c": True}
    assert [has_every_column(uri) for uri in warehouse.files("raw.x")] == [True]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ((A,), "column b is integer there and nothing here"),
        ((A, replace(B, type=pa.string())), "column b is integer there and string here"),
        ((A, B, replace(C, required=True)), "column c is lacking there"),
    ],
)
def test_what_can_not_be_migrated_is_refused(warehouse: Warehouse, columns: tuple[Any, ...], sentence: str) -> None:
    """With the table, the columns and what to do; nothing is written."""
    warehouse.begin(SMALL)
    with pytest.raises(WarehouseError, match=sentence) as refused:
        fit(warehouse, [replace(SMALL, columns=columns)])
    assert "Read the logs into a new warehouse (--warehouse)" in str(refused.value)
    assert warehouse.version("raw.x") == 0


def test_planning_refuses_what_a_run_would_refuse(warehouse: Warehouse) -> None:
    """A plan reads what is remembered of files, so it says the same before it asks for a column that isn't there."""
    segments = TABLES["raw.segments"]
    other = [replace(column, name="sha256") if column.name == "blake3" else column for column in segments.columns]
    warehouse.begin(replace(segments, columns=tuple(other)))
    with pytest.raises(WarehouseError, match="column sha256 is string there and nothing here"):
        plan(warehouse, Sources((str(SEGMENTS),), "c"))
