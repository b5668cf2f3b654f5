"""`lagbook tidy`: says what it would do, and does it only when it is meant."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


@pytest.fixture
def orphan(tmp_path: Path) -> Path:
    """A file in a warehouse that belongs to nothing."""
    path = tmp_path / "wh" / "spool-1" / "a.log"
    Warehouse(str(tmp_path / "wh")).begin(TABLES["raw.segments"])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"abc")
    return path


def test_without_yes_nothing_is_done(lagbook: Lagbook, orphan: Path) -> None:
    """It names the file and how to go on."""
    result = lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", "0m")
    assert result.exit_code == 0, result.output
    assert f"belongs to nothing: {orphan} (3 bytes)" in result.stdout
    assert "Would merge 0 files into 0, delete 1 files (3 bytes) and retire 0 old rows: --yes." in result.stdout
    assert orphan.exists()


def test_with_yes_it_is_done(lagbook: Lagbook, orphan: Path) -> None:
    """The file is gone, and the next call finds everything in order."""
    call = ("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", "0m")
    result = lagbook(*call, "--yes", "--json")
    assert json.loads(result.stdout) == {
        "is_done": True,
        "merges": [],
        "retired": [],
        "leftovers": [{"path": str(orphan), "bytes": 3}],
    }
    assert not orphan.exists()
    assert "Everything is in order." in lagbook(*call).stdout


@pytest.mark.parametrize("place", ["nowhere", "another's", "another's/spool-1/a.log"])
def test_what_is_no_warehouse_is_refused(lagbook: Lagbook, tmp_path: Path, place: str) -> None:
    """A mistyped folder is not in order, nothing of it is deleted, and no table is made there."""
    theirs = tmp_path / "another's" / "spool-1" / "a.log"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"abc")
    call = ("tidy", "--warehouse", str(tmp_path / place), "--leftovers-after", "0m", "--keep-days", "raw=1", "--yes")
    result = lagbook(*call)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"lagbook: {tmp_path / place} is no warehouse: it has no table; `lagbook run` makes them.\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [theirs]


def test_what_is_young_stays(lagbook: Lagbook, orphan: Path) -> None:
    """A run that is under way may have written it."""
    assert "Everything is in order." in lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--yes").stdout
    assert orphan.exists()


@pytest.mark.parametrize("age", ["1", "d", "-1d", "1w", ""])
def test_an_age_has_a_unit(lagbook: Lagbook, orphan: Path, age: str) -> None:
    """Anything else is refused in one sentence."""
    result = lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", age)
    assert result.exit_code == 2
    assert "is no age: give a number and m, h or d" in result.stderr


def test_an_age_is_within_what_logs_remember(lagbook: Lagbook, orphan: Path) -> None:
    """Of an earlier day nobody knows which files a table had."""
    result = lagbook("tidy", "--warehouse", str(orphan.parents[1]), "--leftovers-after", "3d")
    assert result.exit_code == 2
    assert "3d: which files a table had is known for 2 days only." in result.stderr


@pytest.fixture
def aged(tmp_path: Path) -> Warehouse:
    """A warehouse with a row of quarantine that is old, and one that is not."""
    warehouse, table = Warehouse(str(tmp_path / "wh")), TABLES["raw.quarantine"]
    row = {"cluster": "c", "path": "p", "size_bytes": 1, "reason": "r", "expected": "e", "found": "f", "bytes": b""}
    times = (datetime(2020, 1, 1, tzinfo=timezone.utc), datetime.now(timezone.utc))
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    rows = [{**row, "position": number, "read_at": read_at} for number, read_at in enumerate(times)]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), f"{folder}/a.parquet")
    warehouse.append(table, [describe_file(f"{folder}/a.parquet")], {})
    return warehouse


def test_old_rows_are_shown_and_then_retired(lagbook: Lagbook, aged: Warehouse) -> None:
    """First how many of which table, then, when it is meant, they are gone; a second call finds none."""
    call = ("tidy", "--warehouse", aged.url, "--keep-days", "raw=400")
    shown = lagbook(*call)
    assert "raw.quarantine" in shown.stdout
    assert "retire 1 old rows: --yes." in shown.stdout
    assert aged.row_count("raw.quarantine") == 2
    assert "retired 1 old rows." in lagbook(*call, "--yes").stdout
    assert aged.row_count("raw.quarantine") == 1
    assert json.loads(lagbook(*call, "--json").stdout)["retired"] == []


def test_a_table_has_days_of_its_own(lagbook: Lagbook, aged: Warehouse) -> None:
    """What is said of a table counts more than what is said of its layer, in whatever order."""
    both = ("--keep-days", "raw.quarantine=99999", "--keep-days", "raw=1")
    assert "Everything is in order." in lagbook("tidy", "--warehouse", aged.url, *both).stdout


@pytest.mark.parametrize("age", ["core=30", "mart.replays=30", "raw.segments=1", "raw", "raw=", "raw=-1", "raw=1d"])
def test_only_raw_has_an_age(lagbook: Lagbook, aged: Warehouse, age: str) -> None:
    """Core and mart keep what raw keeps, and what was read is remembered for ever."""
    result = lagbook("tidy", "--warehouse", aged.url, "--keep-days", age)
    assert result.exit_code == 2
    assert "give NAME=DAYS, a NAME of raw, raw.offset_records" in result.stderr
