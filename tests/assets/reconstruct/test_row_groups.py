"""Which row groups of raw files a replay reads: those that may have new records of its partition, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.reconstruct import row_groups
from assets.reconstruct.file_names import Place
from assets.reconstruct.row_groups import new_pieces_of, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assets.reconstruct.row_groups import Piece

PLACES = (Place("a", 1), Place("a", 2), Place("b", 1))


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file whose row groups have one partition each, and beside it one in two of whose row groups partitions meet."""
    rows = [(place, offset) for place in PLACES for offset in range(0, 90, 10)]
    columns = [[place.cluster for place, _ in rows], [place.log_partition for place, _ in rows], [at for _, at in rows]]
    path = str(tmp_path / "rows.parquet")
    pq.write_table(pa.table(columns, names=row_groups.PLACE), path, row_group_size=3)
    pq.write_table(pa.table(columns, names=row_groups.PLACE), f"{path}.mixed", row_group_size=4)
    return path


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("next_offset", [0, 35, 80, 81])
def test_no_new_record_is_passed_over(file: str, place: Place, next_offset: int) -> None:
    """Of the pieces of a partition those are left out that end before the offset, and no more than these."""
    uris = [file, f"{file}.mixed"]
    all_pieces = [piece for piece in pieces_of(uris) if piece.place == place]
    pieces = new_pieces_of(uris, {place: next_offset})[place]
    assert {piece for piece in all_pieces if piece.last_offset >= next_offset} <= set(pieces) <= set(all_pieces)


def test_records_of_other_partitions_are_not_read(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where partitions meet in a row group, its records are counted only if it may have new ones of the partition."""
    counted: list[str] = []
    count = row_groups._count_rows  # noqa: SLF001 - what is measured

    def note_and_count(uri: str, records: pa.Table, size_bytes: int) -> Iterator[Piece]:
        """Note which file is read."""
        counted.append(uri)
        return count(uri, records, size_bytes)

    monkeypatch.setattr(row_groups, "_count_rows", note_and_count)
    assert new_pieces_of([f"{file}.mixed"], {Place("b", 2): 0}) == {Place("b", 2): []}
    assert len(counted) == 1
    assert new_pieces_of([f"{file}.mixed"], {Place("a", 1): 90}) == {Place("a", 1): []}
    assert len(counted) == 1
    assert len(new_pieces_of([f"{file}.mixed"], {Place("a", 1): 0})[Place("a", 1)]) == 3
    assert len(counted) == 3
