"""What a read of a running cluster keeps: the same rows as a file of the same log, wherever the answers are cut."""

from __future__ import annotations

from datetime import datetime, timezone
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.live.access import Access
from assets.ingest.live.errors import GoneError, PassingError
from assets.ingest.live.patience import WAITS_S
from assets.ingest.live.reading import Fetcher, read_live
from assets.ingest.slice_writer import SliceWriter, Tally
from assets.ingest.work_units import NO_END, LiveRead, OffsetRange
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from parsers.files.discovery import SegmentFile
from parsers.log.batches import chain, last_offset
from parsers.log.segments import walk
from parsers.sources import open_file
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 18, tzinfo=timezone.utc)
LOG = "__consumer_offsets"
RECORDS = 3013
RECORDS_TABLE = "raw.offset_records"
PLACE = {"cluster": "c", "log_partition": 16}
SPAN = OffsetRange("c", LOG, 16, 0, NO_END, ())


class Recorded(Fetcher):
    """Gives a recorded log as a broker does: from the batch that holds the offset on, the last one cut anywhere."""

    def __init__(self, log: bytes, most_bytes: int, log_start: int = 0) -> None:
        """Take the log, and how many bytes of it come at once."""
        super().__init__()
        self._log, self._most_bytes, self._log_start = log, most_bytes, log_start
        self._bounds = [*_starts(log), len(log)]
        buffer = np.frombuffer(log, np.uint8)
        self._last = np.array([last_offset(buffer, start) for start in self._bounds[:-1]])

    def fetch(self, read: LiveRead, offset: int) -> bytes:
        """Answer like a broker, which gives the first batch whole however large it is."""
        if offset < self._log_start:
            raise GoneError(f"{read.segment.path}: gone")
        at = int(np.searchsorted(self._last, offset))
        if at == len(self._last):
            return b""
        start, end = self._bounds[at : at + 2]
        return self._log[start : max(start + self._most_bytes, end)]

    def resume(self, read: LiveRead, offset: int) -> int:
        """Where the log begins now."""
        assert read.segment.base_offset <= offset < self._log_start
        return self._log_start


def _starts(log: bytes) -> list[int]:
    bounds = chain(np.frombuffer(log, np.uint8), len(log), len(log))
    return [int(start) for start in bounds[:-1]]


@pytest.fixture
def log(incident: Path) -> bytes:
    """A partition of the offsets topic as a broker wrote it."""
    return (incident / "__consumer_offsets-16" / "00000000000000000000.log").read_bytes()


def _segment(path: str, base_offset: int = 0) -> SegmentFile:
    return SegmentFile("c", 1, LOG, 16, base_offset, path, 0, None, None, 0, RECORDS)


def _folders(folder: Path) -> dict[str, str]:
    folders = {name: str(folder / name) for name in TABLES}
    for place in folders.values():
        Warehouse(str(folder)).make_folder(place)
    return folders


def _tables(files: TableFiles) -> dict[str, pa.Table]:
    """What was written, by table, the offset records in the order of the log."""
    paths: dict[str, list[str]] = {}
    for name, file in files.written():
        paths.setdefault(name, []).append(file.path)
    tables = {
        name: ds.dataset(written_files, schema=TABLES[name].schema).to_table() for name, written_files in paths.items()
    }
    if RECORDS_TABLE in tables:
        tables[RECORDS_TABLE] = tables[RECORDS_TABLE].sort_by("log_offset")
    return tables


def _live(folder: Path, fetcher: Fetcher, base_offset: int = 0) -> tuple[dict[str, pa.Table], list[str]]:
    """The rows that one live read gave, by table, and what it complained of."""
    read = LiveRead(_segment("kafka://b:9092/x", base_offset), RECORDS, Access("b:9092"))
    complaints: list[str] = []
    with TableFiles(_folders(folder), "part") as files:
        keeping = SliceWriter(read.segment, SPAN, files, NOW, Tally(), [])
        for part in read_live(read, fetcher, keeping, complaints):
            files.write(RECORDS_TABLE, part.rows, PLACE)
        accounts = pa.RecordBatch.from_pylist(keeping.accounts, schema=TABLES["raw.segments"].schema)
        files.write("raw.segments", accounts)
    return _tables(files), complaints


def _from_file(folder: Path, log: bytes) -> dict[str, pa.Table]:
    """The rows that the same log gives as a file."""
    path = folder / "00000000000000000000.log"
    folder.mkdir(exist_ok=True)
    path.write_bytes(log)
    with TableFiles(_folders(folder / "file"), "part") as files, open_file(str(path)) as source:
        keeping = SliceWriter(_segment(str(path)), SPAN, files, NOW, Tally(), [])
        for piece in walk(source, bodies=True):
            for part in keeping.take(piece, source):
                files.write(RECORDS_TABLE, part.rows, PLACE)
    return _tables(files)


@pytest.mark.parametrize("most_bytes", [1, 300, 50_000, 1 << 23])
def test_the_rows_are_those_of_the_file(tmp_path: Path, log: bytes, most_bytes: int) -> None:
    """Every column of every record, however little comes at once."""
    part = log if most_bytes > 1_000 else log[: _starts(log)[40]]
    live, complaints = _live(tmp_path / "live", Recorded(part, most_bytes))
    assert complaints == []
    name = "raw.offset_records"
    assert live[name].num_rows >= 40
    assert live[name].equals(_from_file(tmp_path / "file", part)[name])


def test_a_read_is_accounted_for(tmp_path: Path, log: bytes) -> None:
    """Bytes, batches and records add up to the file's, and the end is the end that was agreed."""
    (row,) = _live(tmp_path, Recorded(log, 20_000))[0]["raw.segments"].to_pylist()
    assert (row["source"], row["base_offset"], row["end_offset"]) == ("live", 0, RECORDS)
    assert (row["size_bytes"], row["end_position"], row["torn_bytes"]) == (len(log), len(log), 0)
    assert (row["record_count"], row["batch_count"]) == (RECORDS, len(_starts(log)))


def test_a_read_from_the_middle_begins_with_the_batch_that_holds_it(tmp_path: Path, log: bytes) -> None:
    """A broker gives the whole batch; nothing before it comes."""
    offsets = _live(tmp_path, Recorded(log, 20_000), 1_000)[0]["raw.offset_records"]["log_offset"].to_pylist()
    assert offsets[-1] == RECORDS - 1
    assert 990 < offsets[0] <= 1_000


def test_what_was_deleted_meanwhile_is_left_out(tmp_path: Path, log: bytes) -> None:
    """The log's start moved up after the plan: the read goes on there."""
    tables, complaints = _live(tmp_path, Recorded(log, 20_000, log_start=2_000))
    assert complaints == []
    assert min(tables["raw.offset_records"]["log_offset"].to_pylist()) <= 2_000


def test_a_log_whose_end_was_compacted_away_is_read_to_its_end(tmp_path: Path, log: bytes) -> None:
    """Nothing comes although the end is not reached: there is nothing, and the next run does not ask for it again."""
    (row,) = _live(tmp_path, Recorded(log[: _starts(log)[-4]], 20_000))[0]["raw.segments"].to_pylist()
    assert row["last_offset"] + 1 < row["end_offset"] == RECORDS


def test_a_log_that_ends_with_a_marker_is_read_to_its_end(tmp_path: Path, log: bytes) -> None:
    """A marker is no record that anybody hands on: who waits for the last offset to come waits for ever."""
    start = _starts(log)[-4]
    base = int.from_bytes(log[start : start + 8], "big")
    marker = record(0, bytes.fromhex("00000001"), bytes.fromhex("000000000005"))
    ended = log[:start] + batch(base, [marker], attributes=0x30, producer=(9, 0, -1), last_delta=RECORDS - 1 - base)
    tables, complaints = _live(tmp_path, Recorded(ended, 20_000))
    assert complaints == []
    (row,) = tables["raw.segments"].to_pylist()
    assert (row["last_offset"] + 1, row["end_offset"]) == (RECORDS, RECORDS)
    assert tables[RECORDS_TABLE]["control_type"].to_pylist()[-1] == "COMMIT"


def test_a_flipped_bit_costs_its_batch_only(tmp_path: Path, log: bytes) -> None:
    """The batch is set aside with its place in what was read, and the read goes on behind it, once."""
    broken = bytearray(log)
    broken[100_000] ^= 1
    tables, complaints = _live(tmp_path, Recorded(bytes(broken), 20_000))
    assert complaints == []
    (trouble,) = tables["raw.quarantine"].to_pylist()
    assert trouble["position"] <= 100_000 < trouble["position"] + trouble["size_bytes"]
    assert RECORDS - 20 < tables["raw.offset_records"].num_rows < RECORDS


def test_what_is_no_batch_ends_the_read(tmp_path: Path, log: bytes) -> None:
    """A broker that answers with noise is complained of, once, and what came before is kept."""

    class Noisy(Recorded):
        def fetch(self, read: LiveRead, offset: int) -> bytes:
            return b"\xff" * 500 if offset > 1_000 else super().fetch(read, offset)

    tables, (complaint,) = _live(tmp_path, Noisy(log, 20_000))
    assert "is no batch" in complaint
    (row,) = tables["raw.segments"].to_pylist()
    assert 1_000 < row["end_offset"] < RECORDS
    assert f"read up to offset {row['end_offset']} of {RECORDS}" in complaint


def test_a_broker_that_stays_away_ends_the_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for so often and no longer; a read that got nothing leaves no row."""
    waited: list[float] = []
    monkeypatch.setattr("assets.ingest.live.patience.time", SimpleNamespace(sleep=waited.append))

    class Away(Fetcher):
        def _fetch(self, read: LiveRead, offset: int) -> bytes:
            raise PassingError(f"{read.segment.path}: nobody at {offset}")

    tables, (complaint,) = _live(tmp_path, Away())
    assert complaint.startswith("kafka://b:9092/x: nobody at 0 (read up to offset 0 of 3013")
    assert waited == list(WAITS_S)
    assert tables == {}


def test_a_log_that_became_shorter_is_refused(tmp_path: Path) -> None:
    """An offset that is gone though the log begins before it means that the log was truncated."""

    class Shorter(Fetcher):
        def fetch(self, read: LiveRead, offset: int) -> bytes:
            raise GoneError(f"{read.segment.path}: no {offset}")

        def resume(self, read: LiveRead, offset: int) -> int:
            raise SourceError(f"{read.segment.path}: offset {offset} is not in the log")

    _, (complaint,) = _live(tmp_path, Shorter())
    assert "offset 0 is not in the log" in complaint
