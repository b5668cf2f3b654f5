"""Whatever fails in the middle of a run: the next one ends with the archive of an undisturbed one.

Runs that are killed are in `test_crash`, stores that fail while logs are read in `ingesting.test_reading`.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.storage.transaction import TableTransaction
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError
from parsers.sources import SeekableFile, open_file
from tests.assets.crash import Account
from tests.assets.failing_disk import FailingDisk
from tests.assets.inline import inline
from tests.parsers.exports.writers import records_of, write_kcat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile

BYTES = Path(__file__).resolve().parents[1] / "bytes"
FILE = "00000000000000000000.log"
PARTITIONS = (
    "features-4.1/__consumer_offsets-0",
    "features-4.1/__consumer_offsets-7",
    "streams-4.1/__consumer_offsets-3",
)
DATA = "kafka-4.1/data-lz4-0"
WRITERS = ("assets.storage.parquet_writer", "assets.ingest.dumps.dump_runs")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three partitions of the offsets topic, a data topic, and a dump of one of the former beside them."""
    folder = tmp_path_factory.mktemp("logs")
    for name in PARTITIONS:
        shutil.copytree(BYTES / "dump" / name, folder / "broker" / Path(name).name)
    shutil.copytree(BYTES / "batches" / DATA, folder / "broker" / "data-lz4-0")
    write_kcat(folder / "dump.json", records_of(folder / "broker" / "__consumer_offsets-7" / FILE, 7))
    return folder


@pytest.fixture(scope="module")
def expected(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Account:
    """What an undisturbed run keeps."""
    warehouse = Warehouse(str(tmp_path_factory.mktemp("undisturbed")))
    run(warehouse, logs)
    return Account.of(warehouse)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def run(warehouse: Warehouse, logs: Path) -> None:
    """One run over logs and dump."""
    ingest(inline, warehouse, plan(warehouse, Sources((str(logs / "broker"), str(logs / "dump.json")), "c")))


def hold(warehouse: Warehouse, expected: Account, *, is_gap_free: bool) -> None:
    """What the tables show is a part of what an undisturbed run shows, nothing twice; in the end it is all of that."""
    for name, rows in Account.of(warehouse).rows.items():
        assert len(set(rows)) == len(rows)
        if name != "raw.quarantine":
            assert set(rows) <= set(expected.rows[name])
            assert not is_gap_free or rows == expected.rows[name]


def comes_to_its_end(warehouse: Warehouse, logs: Path, error: str) -> bool:
    """Whether a run under fault does; if not, it says which fault."""
    try:
        run(warehouse, logs)
    except (OSError, WarehouseError) as failed:
        assert error in str(failed)  # noqa: PT017 - it may come to its end, too
        return False
    return True


@contextmanager
def full_after(size_bytes: int) -> Iterator[None]:
    """No file of this process can become larger: the kernel refuses it, as it does when a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def written_to(disk: FailingDisk) -> Iterator[None]:
    """All that workers and driver write goes to another disk."""
    with patch(f"{WRITERS[0]}.locate", disk.locate), patch(f"{WRITERS[1]}.locate", disk.locate):
        yield


@pytest.mark.parametrize("size_bytes", [1, 1_500, 4_000, 15_000])
def test_files_that_can_not_grow(warehouse: Warehouse, logs: Path, expected: Account, size_bytes: int) -> None:
    """Whichever file is the first that does not fit, a table's or its log's, nothing half is shown."""
    for name in RAW:
        warehouse.begin(TABLES[name])
    with full_after(size_bytes):
        assert not comes_to_its_end(warehouse, logs, os.strerror(errno.EFBIG))
    hold(warehouse, expected, is_gap_free=False)
    run(warehouse, logs)
    hold(warehouse, expected, is_gap_free=True)


@pytest.mark.parametrize("room_bytes", [0, 30_000, 60_000, 90_000])
def test_a_disk_that_is_full(warehouse: Warehouse, logs: Path, expected: Account, room_bytes: int) -> None:
    """Wherever the last byte of room is taken."""
    with written_to(FailingDisk(room_bytes)):
        assert not comes_to_its_end(warehouse, logs, os.strerror(errno.ENOSPC))
    hold(warehouse, expected, is_gap_free=False)
    run(warehouse, logs)
    hold(warehouse, expected, is_gap_free=True)
    assert list(Path(warehouse.url).glob("spool-*")) == []


def test_a_store_that_fails_now_and_then(warehouse: Warehouse, logs: Path, expected: Account) -> None:
    """Each run gets further or not, and the tables are whole whenever one looks; the first that is let ends it."""
    ended = []
    for every in (1, 2, 3, 5, 8, 13, 21, 1000):
        with written_to(FailingDisk(every=every)):
            ended.append(comes_to_its_end(warehouse, logs, os.strerror(errno.EIO)))
        hold(warehouse, expected, is_gap_free=False)
    assert (ended[0], ended[-1]) == (False, True)
    hold(warehouse, expected, is_gap_free=True)


@pytest.mark.parametrize("at", range(len(RAW)))
def test_a_commit_that_fails(warehouse: Warehouse, logs: Path, expected: Account, at: int) -> None:
    """Tables before it have their rows, those behind it have not: the next run adds what is lacking, and no more."""
    with patch.object(TableTransaction, "append", _failing(at)), pytest.raises(WarehouseError, match="no room"):
        run(warehouse, logs)
    hold(warehouse, expected, is_gap_free=False)
    run(warehouse, logs)
    hold(warehouse, expected, is_gap_free=True)


@pytest.mark.parametrize("at", range(len(RAW)))
def test_two_runs_at_once(warehouse: Warehouse, logs: Path, expected: Account, at: int) -> None:
    """Another run comes to its end between two commits of this one: one of them is refused, nothing is kept twice."""

    def overtaken() -> None:
        with patch.object(TableTransaction, "append", APPEND):
            run(warehouse, logs)

    with (
        patch.object(TableTransaction, "append", _failing(at, overtaken)),
        pytest.raises(WarehouseError, match="another run"),
    ):
        run(warehouse, logs)
    run(warehouse, logs)
    hold(warehouse, expected, is_gap_free=True)


APPEND = TableTransaction.append


def _failing(at: int, what: Callable[[], None] | None = None) -> Callable[..., None]:
    """An append that does something before it is done for the table at this place, by default it fails."""
    count = iter(range(1000))

    def append(
        turn: TableTransaction, files: Sequence[DataFile], note: dict[str, Any], gone: Sequence[ArchivedFile] = ()
    ) -> None:
        if next(count) == at:
            if what is None:
                raise WarehouseError("no room")
            what()
        APPEND(turn, files, note, gone)

    return append


def gone(segment: Path, _whole: bytes) -> None:
    """The broker deleted it."""
    segment.unlink()


def shorter(segment: Path, whole: bytes) -> None:
    """The broker truncated it."""
    os.truncate(segment, len(whole) // 2)


def longer(segment: Path, whole: bytes) -> None:
    """The broker went on writing."""
    with segment.open("ab") as file:
        file.write(whole[segment.stat().st_size :])


def swapped(segment: Path, whole: bytes) -> None:
    """The cleaner put another file there: without the first batch, under the same name."""
    other = segment.with_suffix(".swap")
    other.write_bytes(whole[12 + int.from_bytes(whole[8:12], "big") :])
    other.replace(segment)


CHANGES = pytest.mark.parametrize(
    ("change", "reads"), [(change, reads) for change in (gone, shorter, longer, swapped) for reads in (0, 1, 3)]
)


@CHANGES
def test_a_file_that_changes_while_it_is_read(
    logs: Path, expected: Account, tmp_path: Path, change: Callable[[Path, bytes], None], reads: int
) -> None:
    """Before it is opened, or after some reads: the other files are read, and this one by the next run."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    shutil.copytree(logs, tmp_path / "logs")
    segment = tmp_path / "logs" / "broker" / "__consumer_offsets-3" / FILE
    whole = segment.read_bytes()
    if change is longer:
        segment.write_bytes(whole[: len(whole) // 3])
    with (
        _changing(segment, reads, lambda: change(segment, whole)) as done,
        patch("parsers.log.segments.CHUNK_BYTES", 4096),
    ):
        run(warehouse, tmp_path / "logs")
    assert done
    assert set(_partitions(warehouse)) >= {0, 7}
    segment.write_bytes(whole)
    run(warehouse, tmp_path / "logs")
    rows_of_tables = Account.of(warehouse).rows
    assert rows_of_tables["raw.offset_records"] == expected.rows["raw.offset_records"]
    assert rows_of_tables["raw.diverged_records"] == []


@contextmanager
def _changing(segment: Path, reads: int, change: Callable[[], None]) -> Iterator[list[str]]:
    """Change a file once, when it is opened by a worker or after so many reads of it."""
    done: list[str] = []

    class Changing:
        """An open file that changes behind its reader."""

        def __init__(self, source: SeekableFile) -> None:
            self.path, self.size_bytes, self._source, self._left = source.path, source.size_bytes, source, reads

        def read(self, position: int, length: int) -> Any:  # noqa: ANN401 - bytes as an array
            content = self._source.read(position, length)
            self._left -= 1
            if not self._left and not done:
                done.append("read")
                change()
            return content

        def __enter__(self) -> Changing:  # noqa: PYI034 - Python 3.10 has no Self
            return self

        def __exit__(self, *_: object) -> None:
            self._source.close()

    def opened(path: str) -> Any:  # noqa: ANN401 - an open file
        if path != str(segment) or done:
            return open_file(path)
        if not reads:
            done.append("opened")
            change()
            return open_file(path)
        return Changing(open_file(path))

    with patch("assets.ingest.worker.open_file", opened):
        yield done


def _partitions(warehouse: Warehouse) -> list[int]:
    files = warehouse.files("raw.offset_records")
    numbers: list[int] = ds.dataset(files).to_table(columns=["log_partition"]).column(0).to_pylist()
    return numbers
