"""A question over a view reads no damaged file: which files are compared for it, and how many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.duckdb import database, portable, shown_files
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.duckdb.shown_files import ShownFiles

ROWS = 3_000
LAG, COMMITS = "mart.lag", "core.commits"
REMEDY = "mend it"


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """Two large tables, each of three files, behind views; all others are copied."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", ROWS - 1)
    here = Warehouse(str(tmp_path))
    for name in (LAG, COMMITS):
        folder = here.new_folder(TABLES[name])
        here.make_folder(folder)
        rows = pa.Table.from_pylist([row(name, number) for number in range(ROWS)], TABLES[name].file_schema)
        here.append(TABLES[name], [write_file(rows, f"{folder}/{number}.parquet") for number in range(3)], {})
    database.build(here)
    return here


def row(name: str, number: int) -> dict[str, Any]:
    """A row with something in each column that is never NULL."""
    of_type = {pa.string(): f"t{number % 7}", pa.bool_(): True}
    return {field.name: of_type.get(field.type, number) for field in TABLES[name].file_schema if not field.nullable}


@pytest.fixture
def connection(warehouse: Warehouse) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file."""
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        yield connection


@pytest.fixture
def shown(warehouse: Warehouse, connection: duckdb.DuckDBPyConnection) -> ShownFiles:
    """The files that it shows."""
    return shown_files.read(connection, warehouse.duckdb_path.parent, REMEDY)


def rot(warehouse: Warehouse, name: str) -> str:
    """Flip a bit in the middle file of a table."""
    path = Path(warehouse.files(name)[1])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return str(path)


def test_a_question_over_a_damaged_file_is_refused(warehouse: Warehouse, shown: ShownFiles) -> None:
    """The file is named with what mends it; a question that does not read its table is answered."""
    path = rot(warehouse, LAG)
    shown.compare("SELECT count(*) FROM core.commits")
    with pytest.raises(WarehouseError, match=rf"{path} has other bytes than were written.*{REMEDY}"):
        shown.compare("SELECT max(lag) FROM mart.lag WHERE group_id = $group")


def test_a_macro_reads_what_its_tables_are(warehouse: Warehouse, shown: ShownFiles) -> None:
    """Also one that other macros build on."""
    rot(warehouse, COMMITS)
    shown.compare("FROM no_macro_at(now())")
    with pytest.raises(WarehouseError, match=REMEDY):
        shown.compare("FROM lag_at(now())")


def test_a_file_is_compared_once(warehouse: Warehouse, shown: ShownFiles) -> None:
    """As long as the DuckDB file is open."""
    shown.compare(f"FROM {LAG}")
    rot(warehouse, LAG)
    shown.compare(f"FROM {LAG}")
    with pytest.raises(WarehouseError, match=REMEDY):
        shown.compare_all()


def test_no_more_is_compared_than_is_bounded(
    warehouse: Warehouse, connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which files are is chance, so that each has its turn."""
    rot(warehouse, LAG)
    monkeypatch.setattr(shown_files, "COMPARED_BYTES_MOST", Path(warehouse.files(LAG)[0]).stat().st_size)
    refusals = [is_refused(shown_files.read(connection, warehouse.duckdb_path.parent, REMEDY)) for _ in range(60)]
    assert set(refusals) == {True, False}


def is_refused(shown: ShownFiles) -> bool:
    """Whether a question over the table is."""
    try:
        shown.compare(f"FROM {LAG}")
    except WarehouseError:
        return True
    return False


def test_a_file_without_a_digest_is_compared_with_none(tmp_path: Path) -> None:
    """One of an older release; the others are."""
    (tmp_path / "b").write_bytes(b"other bytes")
    with duckdb.connect() as fresh:
        fresh.execute("CREATE SCHEMA internal")
        portable.begin(fresh, tmp_path)
        files: dict[str, dict[str, str | None]] = {
            LAG: {str(tmp_path / "a"): None},
            COMMITS: {str(tmp_path / "b"): "12"},
        }
        portable.write_view_files(fresh, files, tmp_path)
        shown_files.write_macros(fresh, {"lag_at": [LAG, COMMITS], "others": ["core.topics"]}, files.keys())
        assert set(fresh.sql("FROM internal.macro_views").fetchall()) == {("lag_at", LAG), ("lag_at", COMMITS)}
        shown = shown_files.read(fresh, tmp_path, REMEDY)
    shown.compare(f"FROM {LAG}")
    with pytest.raises(WarehouseError, match=REMEDY):
        shown.compare("FROM lag_at(now())")
