"""Damaged files beside sound ones: a damage is told once, however often its file grows, and a sound copy mends it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.dataset as ds
import pytest

from assets.archive import Warehouse
from assets.ingesting.ingest import ingest
from assets.ingesting.plan import Sources, plan
from tests.assets.inline import inline
from tests.parsers.log_writer import batch, record, simple_log

OFFSETS, DATA = "__consumer_offsets", "audit"
IDENTITY: Final = {OFFSETS: ("raw.offset_records",), DATA: ("raw.batches",)}
FILE: Final = "00000000000000000000.log"
BROKEN_LENGTH: Final = 8 * 8 + 7
"""The bit that makes a batch's length negative."""


def run(warehouse: Warehouse, logs: Path) -> dict[str, int]:
    """One run over a log directory; returns the new rows per table."""
    return ingest(inline, warehouse, plan(warehouse, Sources((str(logs),), "c"))).rows


def rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    files = warehouse.files(name)
    return ds.dataset(files).to_table().to_pylist() if files else []


def write(logs: Path, partition: str, content: bytes) -> None:
    """Put a segment there, under a time that its file never had."""
    path = logs / partition / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    before_ns = path.stat().st_mtime_ns if path.exists() else 0
    path.write_bytes(content)
    os.utime(path, ns=(0, before_ns + 10**9))


def flipped(content: bytes, *bits: int) -> bytes:
    """The same with some bits flipped."""
    array = np.frombuffer(content, np.uint8).copy()
    for bit in bits:
        array[bit // 8 % len(array)] ^= 1 << bit % 8
    return array.tobytes()


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.mark.parametrize("topic", [DATA, OFFSETS])
@pytest.mark.parametrize("damaged", [0, 1])
def test_a_damaged_file_that_grows_tells_of_its_damage_once(
    warehouse: Warehouse, tmp_path: Path, topic: str, damaged: int
) -> None:
    """It is read on from where it ended, also where only headers are read or the first batch is the broken one."""
    log = simple_log(8)
    sound, log[damaged] = b"".join(log), flipped(log[damaged], BROKEN_LENGTH)
    for batches in (4, 6, 8):
        write(tmp_path / "logs", f"{topic}-0", b"".join(log[:batches]))
        run(warehouse, tmp_path / "logs")
    told = [row["position"] for row in rows(warehouse, "raw.quarantine") if row["reason"] == "batch length"]
    assert told == [damaged * len(log[0])]
    reads = {row["start_position"]: row["is_continued"] for row in rows(warehouse, "raw.segments")}
    assert reads == {0: False, len(b"".join(log[:4])): True, len(b"".join(log[:6])): True}
    write(tmp_path / "backup", f"{topic}-0", sound)
    run(warehouse, tmp_path / "backup")
    assert len(rows(warehouse, IDENTITY[topic][0])) == (8 if topic == DATA else 16)


def test_a_copy_is_known_by_what_no_checksum_covers_too(warehouse: Warehouse, tmp_path: Path) -> None:
    """A base offset that flipped in the last batch, where no neighbour tells, leaves its checksum as it was."""
    sound = batch(0, [record(0, None, b"x" * 30)])
    write(tmp_path / "logs", "audit-0", flipped(sound, 6 * 8))
    run(warehouse, tmp_path / "logs")
    write(tmp_path / "backup", "audit-0", sound)
    run(warehouse, tmp_path / "backup")
    assert sorted(row["base_offset"] for row in rows(warehouse, "raw.batches")) == [0, 256]
