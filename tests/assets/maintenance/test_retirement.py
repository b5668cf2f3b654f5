"""Retiring: old rows go, and what the present rests on stays, so that nothing now is another than before."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.catalog import TABLES
from assets.maintenance.retirement import RETIREMENTS, RetiredRows, look_for_old, retire
from assets.storage.data_files import describe_file
from parsers.errors import WarehouseError
from tests.assets.reconstruct.conftest import Archive
from tests.assets.transforms.offsets_log import Log, logs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assets.storage.warehouse import Warehouse

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
RECORDS, BATCHES = "raw.offset_records", "raw.batches"


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    """Folders for as many warehouses as are wanted."""
    return (tmp_path / str(number) for number in range(1_000_000))


def old(warehouse: Warehouse, older_than_ms: int, *names: str) -> list[RetiredRows]:
    """What is older than a time, in records or in the tables that are named."""
    now = EPOCH + timedelta(milliseconds=older_than_ms) + DAY
    return look_for_old(warehouse, dict.fromkeys(names or (RECORDS,), 1), now)


def replayed(folder: Path, log: Log) -> Archive:
    """A warehouse with a log, brought up to it."""
    archive = Archive(folder)
    archive.add(log.records)
    archive.replay()
    return archive


def standing(archive: Archive) -> dict[tuple[str, str, int], int | None]:
    """The offset that is committed for each key now; None where it was removed."""
    rows = sorted(archive.rows(), key=lambda row: (row["effective_log_offset"], row["log_offset"]))
    return {(row["group_id"], row["topic"], row["partition"]): row["committed_offset"] for row in rows}


def offsets(archive: Archive) -> list[int]:
    """The log offsets of all records."""
    return [row["log_offset"] for row in archive.rows(RECORDS)]


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(log=logs(), age=st.integers(0, 26))
def test_what_stands_now_stands_afterwards(folders: Iterator[Path], log: Log, age: int) -> None:
    """Whatever goes: each key has the offset that it had, also after the transactions that were open then."""
    archive = replayed(next(folders), log)
    before = standing(archive)
    retire(archive.warehouse, old(archive.warehouse, 1000 + age))
    archive.replay()
    assert standing(archive) == before
    later = log.marker("COMMIT", 5).marker("COMMIT", 6)
    archive.add(later.records[len(log.records) :])
    archive.replay()
    assert standing(archive) == standing(replayed(next(folders), later))


def test_only_what_is_old_and_not_the_newest_goes(folders: Iterator[Path]) -> None:
    """A commit that others followed, and a transaction that was aborted; the newest of a key and its marker stay."""
    log = Log().commit(1).commit(2).commit(5, partition=1, producer=5).marker("COMMIT", 5)
    log = log.commit(9, producer=6).marker("ABORT", 6).commit(3).commit(4)
    archive = replayed(next(folders), log)
    (retired,) = old(archive.warehouse, 1007)
    assert offsets(archive) == list(range(8))
    assert retired.rows == 5
    retire(archive.warehouse, [retired])
    assert offsets(archive) == [2, 3, 7]
    (account,) = archive.rows(RETIREMENTS)
    assert (account["topic"], account["from_offset"], account["to_offset"], account["row_count"]) == (
        "__consumer_offsets",
        0,
        7,
        5,
    )
    archive.replay()
    assert old(archive.warehouse, 1007) == []


def test_groups_and_what_nobody_can_read_stay(folders: Iterator[Path]) -> None:
    """The newest state of a group, each kind of record, records without a readable key, and open transactions."""
    log = Log().add(record_type=2, group_id="g", group_metadata={"generation": 1, "members": []})
    log = log.add(record_type=2, group_id="g", group_metadata={"generation": 2, "members": []})
    log = log.add(record_type=3, group_id="g").add(undecoded_key=b"?").commit(1, producer=9)
    archive = replayed(next(folders), log)
    retire(archive.warehouse, old(archive.warehouse, 10_000))
    assert offsets(archive) == [1, 2, 3, 4]


def test_times_that_no_calendar_holds_are_compared(folders: Iterator[Path]) -> None:
    """A stranger wrote them: the oldest of all is old, the latest is not, and an unknown one is not either."""
    log = Log().commit(1, timestamp_ms=-(2**62)).commit(2, timestamp_ms=2**62).commit(3, timestamp_ms=None).commit(4)
    archive = replayed(next(folders), log)
    retire(archive.warehouse, old(archive.warehouse, 1_000_000))
    assert offsets(archive) == [1, 2, 3]


def test_a_file_of_which_nothing_stays_goes(folders: Iterator[Path]) -> None:
    """The replay notices, though no file came."""
    archive = Archive(next(folders))
    log = Log().commit(1).commit(2)
    archive.add(log.records)
    archive.add(log.commit(3).records[2:])
    archive.replay()
    retire(archive.warehouse, old(archive.warehouse, 2000))
    assert len(archive.warehouse.files(RECORDS)) == 2  # one of them is the file that has all columns
    archive.replay()
    assert [(row["committed_offset"], row["is_previous_known"]) for row in archive.rows()] == [(3, False)]


def test_what_was_not_replayed_is_not_judged(folders: Iterator[Path]) -> None:
    """Without core.commits nobody knows which commit is the newest that took effect."""
    archive = Archive(next(folders))
    archive.add(Log().commit(1).commit(2).records)
    with pytest.raises(WarehouseError, match="run `lagbook run`"):
        old(archive.warehouse, 10_000)


def batch(base_offset: int, topic: str = "t") -> dict[str, Any]:
    """A batch of ten records that came at its offset."""
    place = {"cluster": "c", "topic": topic, "partition": 0, "base_offset": base_offset, "last_offset": base_offset + 9}
    values = {"is_log_append_time": False, "is_transactional": False, "is_control": False, "codec": "none", "magic": 2}
    return {
        **place,
        **values,
        "max_timestamp_ms": base_offset,
        "size_bytes": 1,
        "position": 0,
        "segment_base_offset": 0,
    }


def test_batches_that_are_not_consumed_stay(folders: Iterator[Path]) -> None:
    """From the lowest committed offset on, and the last one of every log: how far a group is behind stays known."""
    archive = replayed(next(folders), Log().commit(25).commit(47, group_id="h"))
    table, folder = TABLES[BATCHES], archive.warehouse.new_folder(TABLES[BATCHES])
    archive.warehouse.make_folder(folder)
    rows = [*(batch(offset) for offset in range(0, 60, 10)), *(batch(offset, "u") for offset in range(0, 30, 10))]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), f"{folder}/a.parquet")
    archive.warehouse.append(table, [describe_file(f"{folder}/a.parquet")], {})
    (retired,) = old(archive.warehouse, 1000, BATCHES)
    assert [(row["topic"], row["from_offset"], row["row_count"]) for row in retired.account] == [
        ("t", 0, 2),
        ("u", 0, 2),
    ]
    retire(archive.warehouse, [retired])
    left = [(row["topic"], row["base_offset"]) for row in archive.rows(BATCHES)]
    assert left == [("t", 20), ("t", 30), ("t", 40), ("t", 50), ("u", 20)]


def test_young_files_are_not_looked_into(folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bounds say that nothing in them is old."""
    archive = replayed(next(folders), Log().commit(1).commit(2))
    monkeypatch.setattr("assets.maintenance.retirement._count", lambda *_: pytest.fail("a file was looked into"))
    assert old(archive.warehouse, 1000) == []
