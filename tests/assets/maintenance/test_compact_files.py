"""Tidying: the tables say the same afterwards, and nothing goes that somebody may still need."""

from __future__ import annotations

import errno
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.duckdb import database
from assets.maintenance import compact_files
from assets.maintenance.compact_files import FEWEST_FILES, look, tidy
from assets.storage import small_files
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse
from dagster_project.rules.check_cache import Memory, remember
from parsers.errors import WarehouseError

SOON = datetime(2100, 1, 1, tzinfo=timezone.utc)
BATCHES = TABLES["raw.batches"]
RECORDS = TABLES["raw.offset_records"]


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A warehouse whose runs merge nothing by themselves."""
    monkeypatch.setattr(small_files, "FANOUT", 100)
    return Warehouse(str(tmp_path / "warehouse"))


def record(partition: int, offset: int, **values: Any) -> dict[str, Any]:  # noqa: ANN401
    """A row of raw.offset_records."""
    place = {"cluster": "c", "log_partition": partition, "log_offset": offset, "batch_base_offset": offset}
    return {**place, "is_transactional": False, "is_control": False, "is_tombstone": False, **values}


def append(warehouse: Warehouse, number: int, rows: list[dict[str, Any]]) -> str:
    """Add a file with these rows; returns its path."""
    folder = warehouse.new_folder(RECORDS)
    warehouse.make_folder(folder)
    path = f"{folder}/{number}.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=RECORDS.schema), path)
    warehouse.append(RECORDS, [describe_file(path)], {})
    return path


def rows(warehouse: Warehouse) -> list[dict[str, Any]]:
    """All rows, in the order of their files."""
    files = warehouse.files("raw.offset_records")
    return ds.dataset(files, schema=RECORDS.schema).to_table().to_pylist() if files else []


def sort(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In the order of the log."""
    return sorted(rows, key=lambda row: (row["log_partition"], row["log_offset"]))


def test_small_files_become_one(warehouse: Warehouse) -> None:
    """The same rows, rare columns and all, stand in one file for each kind, ordered by partition and offset."""
    for number in range(FEWEST_FILES):
        rare = {"undecoded_key": b"x"} if number % 2 else {"group_id": "g"}
        append(warehouse, number, [record(9 - number, number, **rare)])
    before = sort(rows(warehouse))
    work = look(warehouse, SOON)
    (merge,) = work.merges
    assert (merge.table, len(merge.files)) == ("raw.offset_records", FEWEST_FILES)
    tidy(warehouse, work)
    assert sort(rows(warehouse)) == before
    assert [file.rows for file in warehouse.file_list("raw.offset_records") if file.rows] == [FEWEST_FILES // 2] * 2
    assert not look(warehouse, SOON).merges


def test_few_files_are_left_alone(warehouse: Warehouse) -> None:
    """There is nothing to gain."""
    for number in range(FEWEST_FILES - 1):
        append(warehouse, number, [record(0, number)])
    assert look(warehouse, SOON).is_empty


def test_what_belongs_to_no_table_goes(warehouse: Warehouse) -> None:
    """A file that a killed run left, an unpacked archive, and a merged file; not the others, and not the young."""
    names = append(warehouse, 1, [record(0, 1)])
    folder = warehouse.new_folder(RECORDS)
    warehouse.make_folder(folder)
    orphan, spooled = f"{folder}/part-0.parquet", f"{warehouse.url}/spool-1/1/a.log"
    warehouse.make_folder(f"{warehouse.url}/spool-1/1")
    for path in (orphan, spooled):
        with open(path, "wb") as file:  # noqa: PTH123 - a path of the warehouse is text
            file.write(b"x")
    assert look(warehouse, datetime.now(timezone.utc) - timedelta(hours=1)).leftovers == ()
    work = look(warehouse, SOON)
    assert {leftover.path for leftover in work.leftovers} == {orphan, spooled}
    tidy(warehouse, work)
    assert look(warehouse, SOON).is_empty
    assert warehouse.files("raw.offset_records").count(names) == 1
    assert len(rows(warehouse)) == 1


def test_what_is_remembered_beside_a_table_stays(warehouse: Warehouse) -> None:
    """It belongs to the table, though to none of its commits; in a spool such a name is one like others."""
    append(warehouse, 0, [record(0, 0)])
    remember(warehouse, RECORDS.full_name, Memory("it", frozenset(), {}))
    spooled = Path(warehouse.url) / "spool-1" / "__consumer_offsets-0" / "a.log"
    spooled.parent.mkdir(parents=True)
    spooled.write_bytes(b"abc")
    assert [leftover.path for leftover in look(warehouse, SOON).leftovers] == [str(spooled)]


def test_two_may_tidy_at_once(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another has deleted is gone; what may not be deleted is named."""
    stray = Path(append(warehouse, 0, [record(0, 0)])).with_name("stray.parquet")
    stray.write_bytes(b"abc")
    work = look(warehouse, SOON)
    tidy(warehouse, work)
    tidy(warehouse, work)
    assert not stray.exists()
    barred = SimpleNamespace(delete_file=Mock(side_effect=PermissionError(errno.EACCES, "Permission denied")))
    monkeypatch.setattr(compact_files, "locate", lambda path: (barred, path))
    with pytest.raises(WarehouseError, match=r"stray\.parquet can't be deleted: Permission denied"):
        tidy(warehouse, work)


def test_nothing_goes_that_the_duckdb_file_shows(warehouse: Warehouse) -> None:
    """While the file shows older tables, their files have to stay."""
    append(warehouse, 1, [record(0, 1)])
    database.build(warehouse)
    append(warehouse, 2, [record(0, 2)])
    warehouse.make_folder(f"{warehouse.url}/spool-1")
    with open(f"{warehouse.url}/spool-1/a.log", "wb"):  # noqa: PTH123 - a path of the warehouse is text
        pass
    with pytest.raises(WarehouseError, match="run `lagbook run` first"):
        tidy(warehouse, look(warehouse, SOON))


def test_what_a_reader_may_have_open_stays(warehouse: Warehouse) -> None:
    """A file that left its table just now was there for who looked before, however long ago it was written."""
    paths = [append(warehouse, number, [record(0, number)]) for number in range(FEWEST_FILES)]
    before = datetime.now(timezone.utc)
    for path in paths:
        os.utime(path, (1, 1))
    tidy(warehouse, look(warehouse, before))
    assert not set(paths) & set(warehouse.files("raw.offset_records"))
    assert look(warehouse, before).leftovers == ()
    assert {leftover.path for leftover in look(warehouse, SOON).leftovers} == set(paths)
