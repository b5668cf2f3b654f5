"""A warehouse in a store that speaks S3 and is busy now and then: nobody notices."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from assets.catalog import TABLES
from assets.duckdb import database, mirror
from assets.maintenance import compact_files
from assets.storage import small_files
from assets.storage.data_files import as_one, describe_file, is_remote, locate
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError
from tests.store import store_apart, url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUARANTINE = TABLES["raw.quarantine"]
BUSY_EVERY = 7
AT_ONCE = {"backoff_config.init_backoff": "10ms", "backoff_config.max_backoff": "10ms"}
"""Delta, too, asks again after so long, as often as it does by itself."""


@pytest.fixture(scope="module", autouse=True)
def _store() -> Iterator[None]:
    """A store that refuses every seventh request."""
    with pytest.MonkeyPatch.context() as patched, store_apart(BUSY_EVERY):
        patched.setattr("parsers.io_retry.WAITS_S", (0.01,) * 5)
        yield


@pytest.fixture
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> Warehouse:
    """A warehouse in the store."""
    return Warehouse(url(request.node.name), AT_ONCE, cache=str(tmp_path / "cache"))


def quarantined(position: int) -> pa.RecordBatch:
    """One row of quarantine."""
    row = {"cluster": "c", "path": "p", "position": position, "size_bytes": 1, "reason": "r"}
    values = {"expected": "e", "found": "f", "bytes": b"b", "read_at": datetime(2026, 1, 1, tzinfo=timezone.utc)}
    return pa.RecordBatch.from_pylist([{**row, **values}], schema=QUARANTINE.schema)


def append(warehouse: Warehouse, *positions: int) -> None:
    """Add rows, each in a file and a commit of its own."""
    for position in positions:
        with TableFiles({QUARANTINE.full_name: warehouse.new_folder(QUARANTINE)}, "part") as files:
            files.write(QUARANTINE.full_name, quarantined(position))
        warehouse.append(QUARANTINE, [file for _name, file in files.written()], {"run": position})


def test_files_are_written_and_read(warehouse: Warehouse) -> None:
    """Through Arrow alone: dataset, footer, bounds, notes and rows."""
    append(warehouse, 1, 2)
    files = warehouse.files(QUARANTINE.full_name)
    assert warehouse.is_remote
    assert as_one(files, QUARANTINE.schema).to_table().sort_by("position")["position"].to_pylist() == [1, 2]
    assert sorted(describe_file(file).minimum["position"] for file in files) == [1, 2]
    assert warehouse.note(QUARANTINE.full_name) == {"run": 2}
    assert warehouse.row_count(QUARANTINE.full_name) == 2


def test_the_duckdb_file_holds_copies(warehouse: Warehouse, tmp_path: Path) -> None:
    """It stands in the cache, and whoever opens it needs no store."""
    append(warehouse, 1, 2)
    database.build(warehouse)
    assert database.is_current(warehouse)
    assert warehouse.duckdb_path.is_relative_to(tmp_path / "cache")
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        assert connection.sql("SELECT position, bytes FROM raw.quarantine ORDER BY ALL").fetchall() == [
            (1, b"b"),
            (2, b"b"),
        ]
        assert connection.sql("SELECT DISTINCT table_type FROM information_schema.tables").fetchall() == [
            ("BASE TABLE",)
        ]


@pytest.mark.slow
def test_large_tables_are_fetched_once(warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The DuckDB file has views over files on this machine; a build fetches new ones, and drops those long gone."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 0)
    append(warehouse, 1, 2)
    database.build(warehouse)
    before = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    append(warehouse, 3)
    database.build(warehouse)
    after = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    assert before.items() < after.items()
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        assert connection.sql("SELECT position FROM raw.quarantine ORDER BY ALL").fetchall() == [(1,), (2,), (3,)]
        ((kind,),) = connection.sql(
            "SELECT table_type FROM information_schema.tables WHERE table_name = 'quarantine' AND table_schema = 'raw'"
        ).fetchall()
    assert kind == "VIEW"
    warehouse.begin(QUARANTINE).revise(warehouse.file_list(QUARANTINE.full_name)[:1], [], {})
    database.build(warehouse)
    assert set(after) == set((tmp_path / "cache").rglob("*.parquet"))
    monkeypatch.setattr(mirror, "GRACE_S", -1)
    database.build(warehouse)
    assert len(set(after) - set((tmp_path / "cache").rglob("*.parquet"))) == 1


def test_a_file_that_a_store_changed_is_not_fetched(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused by its address."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 0)
    append(warehouse, 1)
    (uri,) = (file for file in warehouse.files(QUARANTINE.full_name) if "part" in file)
    system, name = locate(uri)
    with system.open_input_stream(name) as stream:
        content = bytearray(stream.read())
    content[len(content) // 2] ^= 1
    with system.open_output_stream(name) as stream:
        stream.write(bytes(content))
    with pytest.raises(WarehouseError, match=f"{uri} has other bytes than were written"):
        database.build(warehouse)


@pytest.mark.slow
def test_it_is_kept_in_order(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are merged, and those that belong to nothing any more are found and deleted."""
    monkeypatch.setattr(small_files, "FANOUT", 100)
    monkeypatch.setattr(compact_files, "FEWEST_FILES", 3)
    append(warehouse, *range(compact_files.FEWEST_FILES))
    before = datetime.now(timezone.utc) + timedelta(hours=1)
    compact_files.tidy(warehouse, compact_files.look(warehouse, before))
    (merged,) = warehouse.files(QUARANTINE.full_name)
    assert pq.read_metadata(locate(merged)[1], filesystem=locate(merged)[0]).num_rows == compact_files.FEWEST_FILES
    work = compact_files.look(warehouse, before)
    assert len(work.leftovers) == compact_files.FEWEST_FILES
    compact_files.tidy(warehouse, work)
    assert compact_files.look(warehouse, before).is_empty
    assert as_one([merged]).count_rows() == compact_files.FEWEST_FILES


def test_the_store_is_asked_as_it_is() -> None:
    """Everything that a file system can be asked, on the way through."""
    system, name = locate(url("a"))
    system.create_dir(f"{name}/b", recursive=True)
    with system.open_output_stream(f"{name}/b/c") as stream:
        stream.write(b"0123456789" * 100)
    system.copy_file(f"{name}/b/c", f"{name}/b/d")
    system.move(f"{name}/b/d", f"{name}/b/e")
    with system.open_input_file(f"{name}/b/e") as file:
        assert (file.size(), file.read_at(3, 1), file.seek(998), file.read(9)) == (1000, b"123", 998, b"89")
    with system.open_input_stream(f"{name}/b/c") as stream:
        assert len(stream.read()) == 1000
    listed = system.get_file_info(fs.FileSelector(f"{name}/b"))
    assert sorted(info.base_name for info in listed) == ["c", "e"]
    system.delete_file(f"{name}/b/c")
    system.delete_dir_contents(f"{name}/b")
    assert system.get_file_info(f"{name}/b/e").type == fs.FileType.NotFound
    system.delete_dir(f"{name}/b")
    assert system == locate(url("x"))[0]
    assert is_remote(url("a"))
    assert not is_remote("file:///a")


def test_a_url_with_settings_is_refused(tmp_path: Path) -> None:
    """Whatever follows a question mark would get lost between the libraries; a path may have one."""
    with pytest.raises(WarehouseError, match="no settings"):
        Warehouse("s3://lake/wh?region=eu-west-1")
    assert not Warehouse(str(tmp_path / "really?")).is_remote
    with pytest.raises(WarehouseError, match="nowhere://x can't be reached"):
        locate("nowhere://x")
