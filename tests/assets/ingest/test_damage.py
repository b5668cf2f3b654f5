"""Damaged files beside sound ones: a damage is told once, however often its file grows, and a sound copy mends it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline
from tests.parsers.log_writer import batch, record, simple_log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OFFSETS, DATA = "__consumer_offsets", "audit"
IDENTITY: Final = {
    OFFSETS: ("raw.offset_records", "log_partition", "log_offset"),
    DATA: ("raw.batches", "partition", "base_offset"),
}
FILE: Final = "00000000000000000000.log"
HEADER_BYTES: Final = 61
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
    changed = bytearray(content)
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


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
    positions = [row["position"] for row in rows(warehouse, "raw.quarantine") if row["reason"] == "batch length"]
    assert positions == [damaged * len(log[0])]
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


def test_a_length_that_hides_the_next_batch_is_noticed_by_the_gap(warehouse: Warehouse, tmp_path: Path) -> None:
    """Where only headers are read the batches that it hides would be lost without a word."""
    log = [batch(offset, [record(0, None, b"x" * 59)]) for offset in range(4)]
    assert len(log[0]) == 2 * 64
    write(tmp_path / "logs", "audit-0", b"".join([log[0], flipped(log[1], 11 * 8 + 7), *log[2:]]))
    run(warehouse, tmp_path / "logs")
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert (trouble["position"], trouble["size_bytes"], trouble["reason"]) == (128, 256, "batch checksum")
    assert trouble["bytes"] == flipped(log[1], 11 * 8 + 7) + log[2]
    assert sorted(row["base_offset"] for row in rows(warehouse, "raw.batches")) == [0, 3]
    write(tmp_path / "backup", "audit-0", b"".join(log))
    run(warehouse, tmp_path / "backup")
    assert sorted(row["base_offset"] for row in rows(warehouse, "raw.batches")) == [0, 1, 2, 3]


def test_gaps_that_the_cleaner_made_are_no_damage(warehouse: Warehouse, tmp_path: Path) -> None:
    """What is sound beside a gap stays, and of a log with many gaps nothing more than the headers is read."""
    few, many = ([batch(2 * offset, [record(0, b"k", b"v")]) for offset in range(count)] for count in (3, 40))
    write(tmp_path / "logs", "audit-0", b"".join(few))
    write(tmp_path / "logs", "audit-1", b"".join([flipped(one, 8 * len(one) - 1) for one in many]))
    run(warehouse, tmp_path / "logs")
    assert rows(warehouse, "raw.quarantine") == []
    assert len(rows(warehouse, "raw.batches")) == 43


def test_an_offset_that_can_not_be_right_is_not_read_up_to(warehouse: Warehouse, tmp_path: Path) -> None:
    """A batch that is set aside for its place says nothing of how far the log was seen."""
    log = simple_log(2)
    write(tmp_path / "logs", "audit-0", log[0] + flipped(log[1], 3 * 8))
    run(warehouse, tmp_path / "logs")
    (read,) = rows(warehouse, "raw.segments")
    assert (read["last_offset"], read["end_offset"], read["batch_count"]) == (1, 2, 1)
    assert (read["quarantined_count"], read["end_position"]) == (1, read["size_bytes"])


class Copy(NamedTuple):
    """A log as it was written, and a damaged copy of it."""

    sound: bytes
    damaged: bytes


@st.composite
def copies(draw: st.DrawFn) -> Copy:
    """A log of some batches without a gap; bits of one of them are flipped, most often in its header."""
    size = draw(st.sampled_from([1, 30, 40, 60]))
    log = simple_log(draw(st.sampled_from([1, 2, 3, 8])), draw(st.integers(1, 3)), size)
    number = draw(st.integers(0, len(log) - 1))
    end = draw(st.sampled_from([HEADER_BYTES, len(log[number])]))
    bits = draw(st.sets(st.integers(0, 8 * end - 1), min_size=1, max_size=20))
    damaged = [*log[:number], flipped(log[number], *bits), *log[number + 1 :]]
    return Copy(b"".join(log), b"".join(damaged))


@settings(max_examples=6)
@given(logs=st.lists(copies(), min_size=12, max_size=12), in_place=st.booleans(), more=st.booleans())
def test_a_sound_copy_gives_every_row(logs: Sequence[Copy], in_place: bool, more: bool) -> None:  # noqa: FBT001
    """At another path or mended in its place, grown meanwhile or not; then every file is known."""
    tail = batch(500, [record(0, b"k", b"v")]) if more else b""
    with TemporaryDirectory() as folder:
        damaged, mended = Path(folder, "logs"), Path(folder, "logs" if in_place else "backup")
        archive, alone = Warehouse(f"{folder}/archive"), Warehouse(f"{folder}/alone")
        _write_all(damaged, {number: copy.damaged for number, copy in enumerate(logs)})
        run(archive, damaged)
        _write_all(mended, {number: copy.sound + tail for number, copy in enumerate(logs)})
        run(archive, mended)
        run(alone, mended)
        for topic in IDENTITY:
            assert _identities(archive, topic) >= _identities(alone, topic)
        assert plan(archive, Sources((str(mended),), "c")).is_empty


def _write_all(logs: Path, contents: Mapping[int, bytes]) -> None:
    """Each as a partition of the offsets topic and of a data topic."""
    for number, content in contents.items():
        for topic in IDENTITY:
            write(logs, f"{topic}-{number}", content)


def _identities(warehouse: Warehouse, topic: str) -> set[tuple[int, int]]:
    name, partition, offset = IDENTITY[topic]
    return {(row[partition], row[offset]) for row in rows(warehouse, name)}
