"""Segments that overlap, and what a broker is about to remove: copies of one log, of which nothing is set aside."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline
from tests.parsers.log_writer import batch, record, simple_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

OFFSETS, DATA = "__consumer_offsets", "audit"
IDENTITY: Final = {OFFSETS: ("raw.offset_records", "log_offset"), DATA: ("raw.batches", "base_offset")}


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def segment(folder: Path, name: str, batches: Iterable[bytes]) -> None:
    """Write a file of a partition: its base offset, and its suffix if it has one."""
    base, _dot, suffix = name.partition(".")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{int(base):020d}.log{'.' if suffix else ''}{suffix}").write_bytes(b"".join(batches))


def run(warehouse: Warehouse, *logs: Path) -> tuple[str, ...]:
    """One run; returns what it could not read."""
    done = ingest(inline, warehouse, plan(warehouse, Sources(tuple(map(str, logs)), "c")))
    return done.unreadable


def rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    files = warehouse.files(name)
    return ds.dataset(files).to_table().to_pylist() if files else []


def offsets(warehouse: Warehouse, topic: str) -> list[int]:
    """The identities that are there, in order; one that is there twice would show."""
    table, column = IDENTITY[topic]
    return sorted(row[column] for row in rows(warehouse, table))


def batches_set_aside(warehouse: Warehouse) -> list[dict[str, Any]]:
    """The rows of quarantine but for those of records, whose keys here are none of the offsets topic's."""
    return [row for row in rows(warehouse, "raw.quarantine") if not row["reason"].startswith(("key", "value"))]


def singles(numbers: Iterable[int]) -> list[bytes]:
    """A batch of one record at each offset."""
    return [simple_batch(number, 1) for number in numbers]


@pytest.mark.parametrize("topic", [DATA, OFFSETS])
@pytest.mark.parametrize("range_bytes", [1 << 30, 2000])
def test_a_merged_segment_beside_the_one_it_was_merged_from(
    warehouse: Warehouse, tmp_path: Path, topic: str, range_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between two renames of the cleaner leaves both: each record of either is there, once."""
    monkeypatch.setattr("assets.ingest.ingest.RANGE_BYTES", range_bytes)
    merged, old = range(153, 474, 5), range(63, 474)
    segment(tmp_path / "logs" / f"{topic}-0", "0", singles(merged))
    segment(tmp_path / "logs" / f"{topic}-0", "63", singles(old))
    segment(tmp_path / "logs" / f"{topic}-0", "474", singles(range(474, 500)))
    run(warehouse, tmp_path / "logs")
    assert batches_set_aside(warehouse) == []
    assert offsets(warehouse, topic) == list(range(63, 500))
    assert rows(warehouse, "raw.diverged_records") == rows(warehouse, "raw.diverged_batches") == []
    read = {
        row["base_offset"]: (row["batch_count"], row["batches_set_aside"]) for row in rows(warehouse, "raw.segments")
    }
    assert read == {0: (65, 0), 63: (411, 0), 474: (26, 0)}


@pytest.mark.parametrize("topic", [DATA, OFFSETS])
@pytest.mark.parametrize("suffix", ["deleted", "swap", "cleaned"])
def test_what_only_a_file_has_that_is_about_to_go(
    warehouse: Warehouse, tmp_path: Path, topic: str, suffix: str
) -> None:
    """It is read like any other copy, up to where it is torn, and its rows are told from those of segments in use."""
    folder = tmp_path / "logs" / f"{topic}-0"
    segment(folder, "0", singles(range(0, 40, 4)))
    segment(folder, f"0.{suffix}", [*singles(range(30)), simple_batch(30)[:50]])
    assert run(warehouse, tmp_path / "logs") == ()
    assert offsets(warehouse, topic) == [*range(30), 32, 36]
    assert batches_set_aside(warehouse) == []
    reads = {row["file_suffix"]: (row["end_offset"], row["torn_bytes"]) for row in rows(warehouse, "raw.segments")}
    assert reads == {None: (37, 0), suffix: (30, 50)}


def test_a_segment_is_known_under_the_names_that_the_cleaner_gives_it(warehouse: Warehouse, tmp_path: Path) -> None:
    """Renamed it is not read again; that it is gone then is no trouble."""
    folder = tmp_path / "logs" / f"{OFFSETS}-0"
    segment(folder, "0", singles(range(20)))
    run(warehouse, tmp_path / "logs")
    (folder / f"{0:020d}.log").rename(folder / f"{0:020d}.log.deleted")
    segment(folder, "0", singles(range(0, 20, 3)))
    run(warehouse, tmp_path / "logs")
    assert sorted((row["file_suffix"] or "", row["batch_count"]) for row in rows(warehouse, "raw.segments")) == [
        ("", 7),
        ("", 20),
        ("deleted", 0),
    ]
    work = plan(warehouse, Sources((str(tmp_path / "logs"),), "c"))
    assert not work.reads


def test_a_file_that_the_broker_removed_in_time_is_no_trouble(warehouse: Warehouse, tmp_path: Path) -> None:
    """Between the look at the folder and the reading it goes, as was to be expected."""
    folder = tmp_path / "logs" / f"{OFFSETS}-0"
    segment(folder, "0", singles(range(20)))
    segment(folder, "0.deleted", singles(range(20)))
    work = plan(warehouse, Sources((str(tmp_path / "logs"),), "c"))
    (folder / f"{0:020d}.log.deleted").unlink()
    assert ingest(inline, warehouse, work).unreadable == ()
    assert batches_set_aside(warehouse) == []
    assert offsets(warehouse, OFFSETS) == list(range(20))


def test_where_a_segment_and_one_that_is_going_contradict_the_segment_is_kept(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    """The other saying is told beside it."""
    folder = tmp_path / "logs" / f"{OFFSETS}-0"
    segment(folder, "0", [batch(0, [record(0, b"k", b"in use")])])
    segment(folder, "0.deleted", [batch(0, [record(0, b"k", b"gone by")])])
    run(warehouse, tmp_path / "logs")
    assert [row["value_bytes"] for row in rows(warehouse, "raw.offset_records")] == [6]
    assert [row["value_bytes"] for row in rows(warehouse, "raw.diverged_records")] == [7]


@pytest.mark.parametrize(
    "orders", [[("logs",), ("more",)], [("more",), ("logs",)], [("logs", "more")]], ids=["first", "last", "both"]
)
def test_the_order_of_reading_makes_no_difference(
    warehouse: Warehouse, tmp_path: Path, orders: Sequence[Sequence[str]]
) -> None:
    """Overlapping files in one run or another, here or in a copy: the union by identity."""
    segment(tmp_path / "logs" / f"{DATA}-0", "0", singles(range(0, 60, 7)))
    segment(tmp_path / "more" / f"{DATA}-0", "20", singles(range(20, 80, 2)))
    segment(tmp_path / "more" / f"{DATA}-0", "50", singles(range(50, 90, 3)))
    for places in orders:
        run(warehouse, *(tmp_path / place for place in places))
    assert offsets(warehouse, DATA) == sorted({*range(0, 60, 7), *range(20, 80, 2), *range(50, 90, 3)})
    shutil.rmtree(tmp_path / "logs")
