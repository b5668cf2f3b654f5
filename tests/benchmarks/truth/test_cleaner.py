"""Segments are written as a broker's cleaner writes them, and as they were at an earlier instant."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from benchmarks.truth.cleaner import Batch, Retained, batches, write_cleaned, write_until
from tests.parsers.log_writer import TIME_MS, batch, read_all, record

RECORDED = Path(__file__).parents[2] / "bytes" / "cleaner"
HAS_HORIZON = 0x40


def retained_in(folder: Path) -> Retained:
    """What a recorded cleaner left of a partition."""
    *cleaned, active = sorted(folder.glob("*.log"))
    clean = [one for one in batches(folder) if one.base_offset < int(active.stem)]
    horizons = {
        offset: one.base_ms if one.attributes & HAS_HORIZON else None for one in clean for offset, _, _ in one.records()
    }
    assert cleaned
    empties = frozenset(one.last_offset for one in clean if not any(one.records()))
    return Retained(horizons, empties, int(active.stem))


@pytest.mark.parametrize("version", ["2.8.2", "4.3.1"])
def test_every_byte_is_that_of_a_brokers_own_cleaner(version: str, tmp_path: Path) -> None:
    """Whole batches, parts of them, empty ones, and those with a delete horizon."""
    with tarfile.open(RECORDED / f"{version}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    partitions = sorted((tmp_path / "after").glob("__consumer_offsets-*"))
    assert len(partitions) > 2
    for after in partitions:
        target = tmp_path / "ours" / after.name
        write_cleaned(tmp_path / "before" / after.name, target, retained_in(after))
        first = min(after.glob("*.log"))
        assert (target / first.name).read_bytes() == first.read_bytes()


def written(folder: Path, *contents: bytes) -> Path:
    """A partition with one segment."""
    (folder / "source").mkdir()
    (folder / "source" / f"{0:020d}.log").write_bytes(b"".join(contents))
    return folder / "source"


def log(count: int) -> list[bytes]:
    """Batches of two records, a second apart, of one key."""
    times = [(TIME_MS + 1000 * number, TIME_MS + 1000 * number) for number in range(count)]
    return [
        batch(2 * number, [record(0, b"k", b"a"), record(1, b"k", b"b")], times=time)
        for number, time in enumerate(times)
    ]


def test_what_is_left_is_read_without_complaint(tmp_path: Path) -> None:
    """With checksums that hold, up to the active segment, which is whole."""
    write_cleaned(written(tmp_path, *log(3)), tmp_path / "target", Retained({3: None}, frozenset({1}), 4))
    clean, active = (read_all(path.read_bytes()) for path in sorted((tmp_path / "target").glob("*.log")))
    assert [(row["base_offset"], row["record_count"]) for row in clean.batches] == [(0, 0), (2, 1)]
    assert clean.records == [(3, TIME_MS + 1000, b"k", b"b")]
    assert [offset for offset, *_ in active.records] == [4, 5]
    assert clean.quarantine == active.quarantine == []


def test_an_earlier_instant_ends_before_the_first_younger_batch(tmp_path: Path) -> None:
    """Of a data topic every batch is taken as it is, in whatever format."""
    source = written(tmp_path, *log(3))
    write_until(source, tmp_path / "target", TIME_MS + 1999)
    assert [one.base_offset for one in batches(tmp_path / "target")] == [0, 2]
    write_until(source, tmp_path / "nothing", TIME_MS - 1)
    assert [path.read_bytes() for path in (tmp_path / "nothing").glob("*.log")] == [b""]


def test_what_it_can_not_write_is_refused() -> None:
    """Rather than written wrongly."""
    with pytest.raises(ValueError, match="batch at offset 7: magic 2, codec 4"):
        Batch.at(batch(7, [record(0, b"k", b"a")], codec=4), 0)
