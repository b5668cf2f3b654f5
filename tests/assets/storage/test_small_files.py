"""Small files are merged as a table grows: few files, few rewrites, the same rows, and no damage that is hidden."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.maintenance.verification import Scope, Verification
from assets.storage import small_files
from assets.storage.data_files import locate
from assets.storage.digests import digest_of, digests_in
from assets.storage.parquet_files import TableFiles
from assets.storage.small_files import FANOUT, FIRST_TIER_BYTES, LARGE_BYTES, LARGE_ROWS, due
from assets.storage.transaction import ArchivedFile
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

RECORDS = TABLES["raw.offset_records"]
RUNS = 1000


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def file(number: int, size_bytes: int, rows: int = 1) -> ArchivedFile:
    """A file of this size."""
    return ArchivedFile(f"{number}.parquet", size_bytes, rows, {}, {})


def record(partition: int, offset: int, **rest: Any) -> dict[str, Any]:  # noqa: ANN401
    """A row of raw.offset_records."""
    place = {"cluster": "c", "log_partition": partition, "log_offset": offset, "batch_base_offset": offset}
    return {**place, "is_transactional": False, "is_control": False, "is_tombstone": False, **rest}


def append(warehouse: Warehouse, rows: list[dict[str, Any]]) -> None:
    """Add files with these rows, as a run does."""
    folder = warehouse.new_folder(RECORDS)
    warehouse.make_folder(folder)
    with TableFiles({RECORDS.full_name: folder}, "part") as files:
        files.write(RECORDS.full_name, pa.RecordBatch.from_pylist(rows, RECORDS.schema))
    warehouse.append(RECORDS, [one for _table, one in files.written()], {})


def rows(warehouse: Warehouse) -> list[dict[str, Any]]:
    """All rows, in the order of the log."""
    answer = ds.dataset(warehouse.files(RECORDS.full_name), schema=RECORDS.schema).to_table().to_pylist()
    return sorted(answer, key=lambda row: (row["log_partition"], row["log_offset"]))


@pytest.mark.parametrize("size_bytes", [5_000, 40_000, 300_000])
def test_a_table_of_many_runs_has_few_files_and_rewrites_a_row_few_times(size_bytes: int) -> None:
    """Both grow with the number of tiers, not with the number of runs; the first tier is rewritten whole."""
    there: list[ArchivedFile] = []
    written, most = 0, 0
    for number in range(RUNS):
        merged = due(there)
        bytes_merged = sum(one.size_bytes for one in merged)
        written += bytes_merged
        there = [one for one in there if one not in merged] + [file(number, size_bytes)]
        there += [file(RUNS + number, bytes_merged)] if merged else []
        most = max(most, sum(one.size_bytes < LARGE_BYTES for one in there))
    tiers = math.ceil(math.log(LARGE_BYTES / FIRST_TIER_BYTES, FANOUT)) + 1
    assert most <= FANOUT * tiers
    in_first_tier = FIRST_TIER_BYTES / (size_bytes * (FANOUT - 1))
    assert written <= RUNS * size_bytes * (tiers + in_first_tier)


def test_large_files_are_left_alone() -> None:
    """By their bytes, or by their rows."""
    assert due([file(number, LARGE_BYTES) for number in range(FANOUT)]) == []
    assert due([file(number, 9, LARGE_ROWS) for number in range(FANOUT)]) == []
    assert len(due([file(number, 9) for number in range(FANOUT)])) == FANOUT
    assert due([file(number, 9) for number in range(FANOUT - 1)]) == []


def test_a_commit_rewrites_a_bounded_number_of_rows(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are left over are merged by later commits."""
    monkeypatch.setattr(small_files, "SORTED_ROWS_MOST", 2)
    with monkeypatch.context() as before:
        before.setattr(small_files, "FANOUT", 100)
        for number in range(6):
            append(warehouse, [record(0, number)])
    append(warehouse, [record(0, 6)])
    assert sorted(one.rows for one in warehouse.file_list(RECORDS.full_name)) == [0, 1, 1, 1, 1, 1, 2]


def test_a_file_that_fills_a_commit_keeps_smaller_ones_from_nothing(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest are merged, and what is left out does not count for the bound."""
    monkeypatch.setattr(small_files, "SORTED_ROWS_MOST", 4)
    with monkeypatch.context() as before:
        before.setattr(small_files, "FANOUT", 100)
        append(warehouse, [record(0, number) for number in range(4)])
        for number in range(4, 7):
            append(warehouse, [record(0, number)])
    append(warehouse, [record(0, 7)])
    assert sorted(one.rows for one in warehouse.file_list(RECORDS.full_name)) == [0, 1, 3, 4]


def test_rows_digests_and_kinds_survive_merges(warehouse: Warehouse) -> None:
    """Rows with rare columns stay apart from the many others; raw rows are in the order of the log."""
    expected = []
    for number in range(3 * FANOUT):
        new = [record(9 - number % 3, number), record(0, 100 - number, group_id="g", undecoded_key=b"x")]
        append(warehouse, new)
        expected += new
    every = {column.name: None for column in RECORDS.columns}
    places = [(row["log_partition"], row["log_offset"]) for row in rows(warehouse)]
    assert places == sorted((row["log_partition"], row["log_offset"]) for row in expected)
    assert {row["log_offset"]: row for row in rows(warehouse)} == {
        row["log_offset"]: {**every, **row} for row in expected
    }
    files = warehouse.file_list(RECORDS.full_name)
    assert len(files) < len(expected)
    merged = [one for one in files if "merged-" in one.uri]
    assert {one.uri.endswith("-rare.parquet") for one in merged} == {True, False}
    for one in merged:
        offsets = ds.dataset(one.uri).to_table(columns=["log_partition", "log_offset"]).to_pylist()
        assert offsets == sorted(offsets, key=lambda row: (row["log_partition"], row["log_offset"]))


def test_merged_files_have_digests(warehouse: Warehouse) -> None:
    """So they are verified like any other."""
    for number in range(3 * FANOUT):
        append(warehouse, [record(0, number)])
    root = warehouse.table_url(RECORDS.full_name)
    digests = digests_in(*locate(f"{root}/_delta_log"))
    files = warehouse.file_list(RECORDS.full_name)
    assert any("merged-" in one.uri for one in files)
    assert {one.uri: digests[one.uri.removeprefix(f"{root}/")] for one in files} == {
        one.uri: digest_of(*locate(one.uri)) for one in files
    }
    assert Verification(warehouse, Scope.ALL).without_digest == []


def test_a_damaged_file_is_not_copied_into_a_sound_one(warehouse: Warehouse) -> None:
    """The commit is refused with the file's address, and the table stays as it was."""
    for number in range(FANOUT):
        append(warehouse, [record(0, number)])
    damaged = next(one.uri for one in warehouse.file_list(RECORDS.full_name) if one.rows)
    content = bytearray(Path(damaged).read_bytes())
    content[len(content) // 2] ^= 1
    Path(damaged).write_bytes(content)
    before = warehouse.version(RECORDS.full_name)
    with pytest.raises(WarehouseError, match=f"{damaged} has other bytes than were written"):
        append(warehouse, [record(0, FANOUT)])
    assert warehouse.version(RECORDS.full_name) == before


def test_what_was_merged_from_known_files_is_known(warehouse: Warehouse) -> None:
    """Of a merge that has other rows as well nothing is known; nor of one whose commit is not there any more."""
    for number in range(FANOUT):
        append(warehouse, [record(0, number)])
    then, name = warehouse.version(RECORDS.full_name), RECORDS.full_name
    before = set(warehouse.files(name))
    append(warehouse, [record(0, FANOUT)])
    now = set(warehouse.files(name))
    (merged,) = (uri for uri in now - before if "merged-" in uri)
    (new,) = now - before - {merged}
    assert warehouse.files_since(name, then) == now - {new}
    assert warehouse.files_since(name, (then or 0) - 1) == warehouse.files_at(name, (then or 0) - 1)
    assert warehouse.files_since(name, None) == frozenset()
