"""Which files make up a table: whole commits, notes, bounds, and sentences when something is in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from assets.catalog.table import Column, Table
from assets.duckdb.database import in_memory
from assets.storage.data_files import DataFile, describe_file, files_below, locate
from assets.storage.digests import digest_of, digests_in
from assets.storage.small_files import Merged
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

TABLE = Table("core", "numbers", "Numbers.", ("number",), (Column("number", pa.int64(), "A number.", required=True),))


def write(warehouse: Warehouse, *numbers: int) -> list[DataFile]:
    """Write numbers into a new folder of the table, without making them part of it."""
    folder = warehouse.new_folder(TABLE)
    warehouse.make_folder(folder)
    pq.write_table(pa.table({"number": pa.array(numbers, pa.int64())}), f"{folder}/a.parquet")
    return files_below(folder)


def numbers(warehouse: Warehouse) -> list[int]:
    """What is in the table now."""
    files = warehouse.files(TABLE.full_name)
    return sorted(ds.dataset(files).to_table()["number"].to_pylist()) if files else []


def test_files_become_part_of_a_table_with_their_commit(tmp_path: Path) -> None:
    """Before the commit nothing is seen of them; appending adds, replacing takes the place of all."""
    warehouse = Warehouse(str(tmp_path))
    files = write(warehouse, 1, 2)
    assert numbers(warehouse) == []
    warehouse.append(TABLE, files, {"run": 1})
    warehouse.append(TABLE, write(warehouse, 3), {"run": 2})
    assert numbers(warehouse) == [1, 2, 3]
    assert warehouse.note(TABLE.full_name) == {"run": 2}
    warehouse.replace(TABLE, write(warehouse, 9), {"raw.x": 4})
    assert numbers(warehouse) == [9]
    assert warehouse.is_current(TABLE, {"raw.x": 4})
    assert not warehouse.is_current(TABLE, {"raw.x": 5})


def test_some_files_of_a_table_are_exchanged(tmp_path: Path) -> None:
    """The others stay what they are; so does the table when all of its files go, and the note is the one given."""
    warehouse = Warehouse(str(tmp_path))
    warehouse.append(TABLE, write(warehouse, 1), {})
    (first,) = warehouse.file_list(TABLE.full_name)
    warehouse.begin(TABLE).revise([], write(warehouse, 2), {"inputs": {"raw.x": 1}})
    warehouse.begin(TABLE).revise([first], write(warehouse, 3), {"inputs": {"raw.x": 2}})
    assert numbers(warehouse) == [2, 3]
    assert warehouse.is_current(TABLE, {"raw.x": 2})
    warehouse.begin(TABLE).revise([], [], {"inputs": {"raw.x": 3}})
    assert (numbers(warehouse), warehouse.is_current(TABLE, {"raw.x": 3})) == ([2, 3], True)
    warehouse.begin(TABLE).revise(warehouse.file_list(TABLE.full_name), [], {})
    assert numbers(warehouse) == []


def test_a_merge_keeps_the_note(tmp_path: Path) -> None:
    """What a table was made from, and how far its sources were read, does not change with the number of its files."""
    warehouse = Warehouse(str(tmp_path))
    warehouse.append(TABLE, write(warehouse, 1), {})
    warehouse.append(TABLE, write(warehouse, 2), {"inputs": {"raw.x": 1}, "recorded": {"a.jsonl": [7, 9]}})
    old, merged = warehouse.file_list(TABLE.full_name), write(warehouse, 1, 2)
    warehouse.begin(TABLE).merge(Merged(tuple(old), tuple(merged)))
    assert (numbers(warehouse), len(warehouse.files(TABLE.full_name))) == ([1, 2], 1)
    assert warehouse.is_current(TABLE, {"raw.x": 1})
    assert warehouse.note(TABLE.full_name)["recorded"] == {"a.jsonl": [7, 9]}


@pytest.mark.parametrize("name", ["a warehouse", "wärehouse", "#1", "50%", "[a]*?", "it's", 'a "b" <c>', "a+b&c=d;e"])
def test_any_folder_may_hold_a_warehouse(tmp_path: Path, name: str) -> None:
    """Delta names files by URLs, where a space is written otherwise: they are found by the paths that they have."""
    warehouse = Warehouse(str(tmp_path / name))
    warehouse.append(TABLE, write(warehouse, 1), {})
    assert numbers(warehouse) == [1]
    assert warehouse.files(TABLE.full_name) == [file.uri for file in warehouse.file_list(TABLE.full_name)]
    version = warehouse.version(TABLE.full_name)
    assert warehouse.files_at(TABLE.full_name, version) == set(warehouse.files(TABLE.full_name))
    with in_memory(warehouse, []) as connection:
        files = warehouse.files(TABLE.full_name)
        assert connection.execute("SELECT number FROM read_parquet($files)", {"files": files}).fetchall() == [(1,)]


def test_a_file_url_is_a_path(tmp_path: Path) -> None:
    """What is on disk is named by its path, and its DuckDB file lies beside its tables."""
    warehouse = Warehouse((tmp_path / "a warehouse").as_uri())
    warehouse.append(TABLE, write(warehouse, 1), {})
    assert numbers(Warehouse(str(tmp_path / "a warehouse"))) == numbers(warehouse) == [1]
    assert warehouse.duckdb_path == tmp_path / "a warehouse" / "lagbook.duckdb"


@pytest.mark.parametrize("name", ["%41b", "a\\b", "a\nb", "a\x1b[2Jb"])
def test_a_folder_that_delta_would_mistake_is_refused(tmp_path: Path, name: str) -> None:
    """It would write elsewhere, or not at all: the sentence says what is in the way."""
    with pytest.raises(WarehouseError, match="can't stand in a folder with"):
        Warehouse(str(tmp_path / name))


def test_a_table_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """It has no version, no file, no row and no note."""
    warehouse = Warehouse(str(tmp_path))
    name = TABLE.full_name
    assert (warehouse.version(name), warehouse.files(name), warehouse.row_count(name), warehouse.note(name)) == (
        None,
        [],
        0,
        {},
    )


def test_an_append_without_files_only_creates(tmp_path: Path) -> None:
    """A second one makes no commit."""
    warehouse = Warehouse(str(tmp_path))
    warehouse.append(TABLE, (), {})
    version = warehouse.version(TABLE.full_name)
    warehouse.append(TABLE, (), {})
    assert warehouse.version(TABLE.full_name) == version == 0


def test_of_two_writers_at_once_one_is_refused(tmp_path: Path) -> None:
    """Whoever commits second built on a table that is no longer there: its files don't become part of it."""
    warehouse = Warehouse(str(tmp_path))
    first, second = warehouse.begin(TABLE), warehouse.begin(TABLE)
    first.append(write(warehouse, 1), {})
    with pytest.raises(WarehouseError, match="another run wrote there meanwhile"):
        second.append(write(warehouse, 2), {})
    assert numbers(warehouse) == [1]


def test_a_log_that_was_read_is_read_on(tmp_path: Path) -> None:
    """What another commits is seen, and commits that were read are not read again: in a store each costs requests."""
    warehouse, other = Warehouse(str(tmp_path)), Warehouse(str(tmp_path))
    other.append(TABLE, write(other, 1), {"run": 1})
    assert (numbers(warehouse), warehouse.note(TABLE.full_name)) == ([1], {"run": 1})
    other.append(TABLE, write(other, 2), {"run": 2})
    for commit in sorted(Path(warehouse.table_url(TABLE.full_name), "_delta_log").iterdir())[:-1]:
        commit.write_text("{ broken")
    assert (numbers(warehouse), warehouse.note(TABLE.full_name)) == ([1, 2], {"run": 2})
    assert warehouse.row_count(TABLE.full_name) == 2


def test_a_log_has_checkpoints_and_drops_commits_of_earlier_days(tmp_path: Path) -> None:
    """To open a table costs as much after many commits as after few; files, digests and note are all there."""
    warehouse = Warehouse(str(tmp_path))
    log = Path(warehouse.table_url(TABLE.full_name), "_delta_log")
    warehouse.begin(TABLE)
    for number in range(45):
        warehouse.begin(TABLE).revise(warehouse.file_list(TABLE.full_name), write(warehouse, number), {"run": number})
        for commit in log.iterdir():
            os.utime(commit, (1, 1))
    commits = sorted(path.name for path in log.glob("?" * 20 + ".json"))
    assert commits[0] > f"{20:020d}.json"
    assert log.joinpath("_last_checkpoint").exists()
    again = Warehouse(str(tmp_path))
    assert (numbers(again), again.note(TABLE.full_name), again.version(TABLE.full_name)) == ([44], {"run": 44}, 45)
    (uri,) = again.files(TABLE.full_name)
    assert digests_in(*locate(str(log)))[uri.removeprefix(f"{log.parent}/")] == digest_of(*locate(uri))


def test_tables_stay_as_seen_first_for_as_long_as_one_asks(tmp_path: Path) -> None:
    """What another commits meanwhile is seen afterwards, and not by halves; a turn builds on what is there now."""
    warehouse, other = Warehouse(str(tmp_path)), Warehouse(str(tmp_path))
    with warehouse.pinned_versions():
        assert warehouse.version(TABLE.full_name) is None
        other.append(TABLE, write(other, 1), {"run": 1})
        assert (warehouse.version(TABLE.full_name), numbers(warehouse)) == (None, [])
        warehouse.append(TABLE, write(warehouse, 2), {"run": 2})
    assert (numbers(warehouse), warehouse.note(TABLE.full_name)) == ([1, 2], {"run": 2})


def test_rows_and_bounds_come_from_the_log(tmp_path: Path) -> None:
    """What a file's footer says is what the table's log keeps."""
    warehouse = Warehouse(str(tmp_path))
    files = write(warehouse, 5, 8, 6)
    assert files == [describe_file(files[0].path)]
    warehouse.append(TABLE, files, {})
    (archived,) = warehouse.file_list(TABLE.full_name)
    assert (archived.rows, archived.minimum, archived.maximum) == (3, {"number": 5}, {"number": 8})
    assert warehouse.row_count(TABLE.full_name) == 3


def test_a_warehouse_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "wh").write_text("not a folder")
    with pytest.raises(WarehouseError, match="wh"):
        Warehouse(str(tmp_path / "wh")).append(TABLE, (), {})


def test_a_log_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    """The table's log is damaged: the message names the table's place."""
    warehouse = Warehouse(str(tmp_path))
    warehouse.append(TABLE, write(warehouse, 1), {})
    for entry in Path(warehouse.table_url(TABLE.full_name), "_delta_log").iterdir():
        entry.write_text("{ broken")
    with pytest.raises(WarehouseError, match="core/numbers") as caught:
        warehouse.files(TABLE.full_name)
    assert "\n" not in str(caught.value)
