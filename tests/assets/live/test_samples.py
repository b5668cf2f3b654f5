"""That of what brokers say only what is new is kept."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.archive import Warehouse
from assets.data_files import describe_file
from assets.live.samples import SAMPLES, changed
from assets.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {
    "cluster": "c",
    "topic": "orders",
    "partition": 0,
    "sampled_at": datetime(2026, 11, 18, 12, tzinfo=timezone.utc),
    "topic_id": "some-id",
    "partition_count": 2,
    "leader_id": 1,
    "leader_epoch": 4,
    "log_start_offset": 0,
    "high_watermark": 9,
    "last_stable_offset": 7,
}
LATER = datetime(2026, 11, 18, 13, tzinfo=timezone.utc)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse that has an older and a newer sample of one partition."""
    warehouse, table = Warehouse(str(tmp_path)), TABLES[SAMPLES]
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    older = {**ROW, "high_watermark": 5, "sampled_at": datetime(2026, 11, 18, 11, tzinfo=timezone.utc)}
    pq.write_table(_table(ROW, older), f"{folder}/rows.parquet")
    warehouse.append(table, [describe_file(f"{folder}/rows.parquet")], {})
    return warehouse


def _table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=TABLES[SAMPLES].schema)


def test_what_was_said_before_is_not_kept_again(warehouse: Warehouse) -> None:
    """Only the time is another."""
    assert changed(warehouse, _table({**ROW, "sampled_at": LATER})).num_rows == 0


@pytest.mark.parametrize(
    "other",
    [
        {"partition": 1},
        {"topic": "payments"},
        {"cluster": "d"},
        {"topic_id": None},
        {"partition_count": 3},
        {"leader_id": None},
        {"leader_epoch": 5},
        {"log_start_offset": 1},
        {"high_watermark": 5},
        {"last_stable_offset": None},
    ],
)
def test_anything_else_is_new(warehouse: Warehouse, other: dict[str, Any]) -> None:
    """Another partition, or another word on a known one, also one that goes back or is not known any more."""
    assert changed(warehouse, _table({**ROW, **other})).num_rows == 1


def test_the_first_sample_is_new(tmp_path: Path) -> None:
    """An empty warehouse knows nothing; no partitions are no rows."""
    empty = Warehouse(str(tmp_path / "empty"))
    assert changed(empty, _table(ROW)).num_rows == 1
    assert changed(empty, _table()).num_rows == 0
