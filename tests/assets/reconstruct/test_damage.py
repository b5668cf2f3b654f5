"""Where something of the offsets topic was set aside, and what a later read had sound."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.reconstruct.damage import damaged_offsets
from assets.reconstruct.file_names import Place
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pathlib import Path

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LOG: Final[dict[str, Any]] = {"cluster": "c", "topic": "__consumer_offsets", "partition": 7, "path": "/data/0.log"}
TROUBLE: Final = {"position": 61, "size_bytes": 9, "reason": "checksum", "expected": "1", "found": "2", "bytes": b""}
EVER: Final = (1 << 63) - 1


def put(warehouse: Warehouse, name: str, *rows: dict[str, Any]) -> None:
    """Add rows to a raw table; columns that are not named and must be there are 0 or empty."""
    table = TABLES[name]
    blank = {
        field.name: "" if field.type == pa.string() else False if field.type == pa.bool_() else 0
        for field in table.schema
        if not field.nullable
    }
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with TableFiles({name: folder}, "part") as files:
        files.write(name, pa.RecordBatch.from_pylist([{**blank, **row} for row in rows], table.schema))
    warehouse.append(table, [file for _, file in files.written()], {})


def read(minute: int, first: int, end: int, **changed: Any) -> dict[str, Any]:  # noqa: ANN401 - a value of any column
    """A stretch that was read, with something set aside."""
    values = {**LOG, "from_offset": first, "end_offset": end, "quarantined_count": 1}
    return {**values, "read_at": NOON + timedelta(minutes=minute), **changed}


def trouble(minute: int, log_offset: int | None, **changed: Any) -> dict[str, Any]:  # noqa: ANN401
    """A row of quarantine."""
    return {**LOG, **TROUBLE, "log_offset": log_offset, "read_at": NOON + timedelta(minutes=minute), **changed}


def damage(tmp_path: Path, reads: list[dict[str, Any]], troubles: list[dict[str, Any]]) -> dict[Place, Any]:
    """What is damaged, by partition."""
    warehouse = Warehouse(str(tmp_path))
    put(warehouse, "raw.segments", *reads)
    put(warehouse, "raw.quarantine", *troubles)
    return damaged_offsets(warehouse)


def test_a_batch_is_damaged_where_it_begins(tmp_path: Path) -> None:
    """Each log has its own, and data topics have none that concerns the replay."""
    others = trouble(0, 30, partition=8), trouble(0, 40, cluster="d"), trouble(0, 50, topic="orders")
    places = damage(tmp_path, [read(0, 0, 100)], [trouble(0, 20), trouble(0, 90), *others])
    assert places == {Place("c", 7): ((20, 21), (90, 91)), Place("c", 8): ((30, 31),), Place("d", 7): ((40, 41),)}


@pytest.mark.parametrize("unsure", [{"log_offset": None}, {"log_offset": 5, "reason": "base offset"}])
def test_without_an_offset_that_counts_all_that_was_read_with_it_may_be(tmp_path: Path, unsure: dict[str, Any]) -> None:
    """The stretch that it was found in, not those of other runs."""
    bad = {**trouble(0, None), **unsure}
    assert damage(tmp_path, [read(0, 10, 100), read(9, 100, 200)], [bad]) == {Place("c", 7): ((10, 100),)}


def test_a_file_that_was_not_read_may_have_had_anything(tmp_path: Path) -> None:
    """Nothing says which offsets stand in it."""
    assert damage(tmp_path, [read(0, 0, 9, path="/other")], [trouble(0, None)]) == {Place("c", 7): ((0, EVER),)}


def test_what_was_mended_is_damaged_no_more(tmp_path: Path) -> None:
    """Once the file was read from its beginning without any trouble; an earlier such read says nothing."""
    sound = read(5, 0, 100, quarantined_count=0)
    assert damage(tmp_path / "later", [read(0, 0, 100), sound], [trouble(0, 20)]) == {}
    earlier = sound | {"read_at": NOON - timedelta(minutes=5)}
    assert damage(tmp_path / "earlier", [read(0, 0, 100), earlier], [trouble(0, 20)]) == {Place("c", 7): ((20, 21),)}
    grown = sound | {"start_position": 900}
    assert damage(tmp_path / "grown", [read(0, 0, 100), grown], [trouble(0, 20)]) == {Place("c", 7): ((20, 21),)}


def test_what_overlaps_is_one(tmp_path: Path) -> None:
    """However many rows say so, and in whatever order."""
    rows = [trouble(0, offset) for offset in (23, 20, 22, 21, 40)] + [trouble(1, None)]
    assert damage(tmp_path, [read(0, 0, 100), read(1, 30, 50)], rows) == {Place("c", 7): ((20, 24), (30, 50))}
