"""Partitions cut into ranges: every byte is in one stretch, and every batch in the range that its offset belongs to."""

from __future__ import annotations

import struct
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.ingest.read_history import KnownRead
from assets.ingest.split_ranges import cut_ranges
from assets.ingest.work_units import NO_END, DumpRun, FileRange, LiveRead, OffsetRange, Unread
from parsers.files.discovery import SegmentFile
from parsers.log.segments import walk
from parsers.sources import open_file
from tests.parsers.log_writer import simple_batch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PLACE = ("c", "__consumer_offsets", 3)
BATCH_BYTES = len(simple_batch(0))


def write_copy(folder: Path, offsets: Sequence[int], roll_at: Sequence[int]) -> tuple[Unread, ...]:
    """Write batches of two records at these offsets, in segments that begin at 0 and at the offsets of `roll_at`."""
    folder.mkdir()
    files = []
    for base, end in pairwise([0, *roll_at, NO_END]):
        batches = [(offset, simple_batch(offset)) for offset in offsets if base <= offset < end]
        starts = accumulate((len(content) for _offset, content in batches), initial=0)
        path = folder / f"{base:020}.log"
        path.write_bytes(b"".join(content for _offset, content in batches))
        index = [
            struct.pack(">ii", offset + 1 - base, at) for at, (offset, _batch) in zip(starts, batches, strict=False)
        ]
        path.with_suffix(".index").write_bytes(b"".join(index[1::2]))
        files.append(unread(path, base))
    return tuple(files)


def unread(path: Path, base_offset: int, known: KnownRead | None = None) -> Unread:
    """A file of that partition as it is now."""
    return Unread(
        SegmentFile("c", 1, *PLACE[1:], base_offset, str(path), path.stat().st_size, 0, None, None, None), known
    )


def offsets_of(stretch: FileRange | LiveRead | DumpRun) -> list[int]:
    """The base offsets of the batches in a stretch."""
    assert isinstance(stretch, FileRange)
    with open_file(stretch.file.segment.path) as source:
        pieces = list(walk(source, stretch.start_position, stretch.stop_position, bodies=True))
    assert all(not piece.quarantine.num_rows for piece in pieces)
    return [offset for piece in pieces for offset in piece.batches.column("base_offset").to_pylist()]


def covers(ranges: Sequence[OffsetRange], file: Unread) -> bool:
    """Whether the stretches of a file follow each other from its unread start to its end."""
    parts = [part for one in ranges for copy in one.copies for part in copy if isinstance(part, FileRange)]
    parts = [part for part in parts if part.file == file]
    stops = [part.stop_position for part in parts]
    starts = [part.start_position for part in parts]
    return starts[0] == file.start_position and stops[-1] is None and starts[1:] == stops[:-1]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data(), st.integers(BATCH_BYTES, 12 * BATCH_BYTES))
def test_every_batch_is_in_its_range_in_every_copy(
    tmp_path_factory: object, data: st.DataObject, range_bytes: int
) -> None:
    """Whatever a cleaner took from one of the copies and wherever it rolled, nothing is read twice or left out."""
    folder: Path = tmp_path_factory.mktemp("copies")  # type: ignore[attr-defined]
    whole = list(range(0, 80, 2))
    rolls = st.lists(st.sampled_from(whole[1:]), unique=True, max_size=3).map(sorted)
    first = write_copy(folder / "a", whole, data.draw(rolls))
    left = sorted(data.draw(st.sets(st.sampled_from(whole), min_size=1)))
    second = write_copy(folder / "b", left, data.draw(rolls))
    ranges = cut_ranges(PLACE, (first, second), range_bytes)
    assert [one.first_offset for one in ranges] == sorted(one.first_offset for one in ranges)
    assert all(covers(ranges, file) for file in (*first, *second))
    placements = [
        (one, offset) for one in ranges for copy in one.copies for part in copy for offset in offsets_of(part)
    ]
    assert sorted(offset for _one, offset in placements) == sorted([*whole, *left])
    assert all(one.first_offset <= offset < one.end_offset for one, offset in placements)
    if range_bytes <= 8 * BATCH_BYTES:
        assert len(ranges) > 1


def test_a_grown_file_is_cut_behind_what_is_known(tmp_path: Path) -> None:
    """The known part is in no stretch."""
    (file,) = write_copy(tmp_path / "a", range(0, 80, 2), [])
    end = sum(len(simple_batch(offset)) for offset in range(0, 20, 2))
    known = KnownRead(0, 0, end, 0, 1, 0, 1, 20)
    grown = Unread(file.segment, known)
    ranges = cut_ranges(PLACE, ((grown,),), 5 * BATCH_BYTES)
    assert len(ranges) > 2
    assert covers(ranges, grown)
    assert [offset for one in ranges for part in one.copies[0] for offset in offsets_of(part)] == list(range(20, 80, 2))


def test_a_file_without_index_is_not_cut(tmp_path: Path) -> None:
    """Where a batch begins can't be known without reading everything before it."""
    (file,) = write_copy(tmp_path / "a", range(0, 80, 2), [])
    (tmp_path / "a" / f"{0:020}.index").unlink()
    (one,) = cut_ranges(PLACE, ((file,),), 5 * BATCH_BYTES)
    assert (one.first_offset, one.end_offset, len(one.copies[0])) == (0, NO_END, 1)


def test_a_batch_across_the_cut_keeps_the_partition_whole(tmp_path: Path) -> None:
    """Copies that disagree about where batches begin are read by one worker."""
    leading = write_copy(tmp_path / "a", range(0, 80, 2), [])
    odd = write_copy(tmp_path / "b", range(1, 41, 2), [])
    (one,) = cut_ranges(PLACE, (leading, odd), 5 * BATCH_BYTES)
    assert len(one.copies) == 2


def test_a_file_that_vanished_keeps_the_partition_whole(tmp_path: Path) -> None:
    """Its reader will say that it is gone."""
    (file,) = write_copy(tmp_path / "a", range(0, 80, 2), [])
    (tmp_path / "a" / f"{0:020}.log").unlink()
    assert len(cut_ranges(PLACE, ((file,),), 5 * BATCH_BYTES)) == 1


def test_an_empty_file_is_read_once(tmp_path: Path) -> None:
    """However many ranges its partition has."""
    files = write_copy(tmp_path / "a", range(0, 80, 2), [90])
    ranges = cut_ranges(PLACE, (files,), 5 * BATCH_BYTES)
    assert len(ranges) > 2
    assert all(covers(ranges, file) for file in files)
