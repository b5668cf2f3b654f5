"""That of what brokers say only what is new is kept."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.ingest.live.samples import SAMPLES, changed_samples
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {
    "cluster": "c",
    "topic": "orders",
    "partition": 0,
    "sampled_at": datetime(2026, 11, 18, 12, tzinfo=timezone.utc),
    "asked_at": datetime(2026, 11, 18, 11, 59, 59, tzinfo=timezone.utc),
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
    warehouse = Warehouse(str(tmp_path))
    older = {**ROW, "high_watermark": 5, "sampled_at": datetime(2026, 11, 18, 11, tzinfo=timezone.utc)}
    _append(warehouse, _table(ROW, older))
    return warehouse


def _append(warehouse: Warehouse, rows: pa.Table) -> None:
    folder = warehouse.new_folder(TABLES[SAMPLES])
    warehouse.make_folder(folder)
    pq.write_table(rows, f"{folder}/rows.parquet")
    warehouse.append(TABLES[SAMPLES], [describe_file(f"{folder}/rows.parquet")], {})


def _table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=TABLES[SAMPLES].schema)


def test_what_was_said_before_is_not_kept_again(warehouse: Warehouse) -> None:
    """Only the time is another."""
    assert changed_samples(warehouse, _table({**ROW, "sampled_at": LATER})).num_rows == 0


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
    new = changed_samples(warehouse, _table({**ROW, **other})).to_pylist()
    assert [row for row in new if row["high_watermark"] is not None] == [{**ROW, **other}]


def test_a_partition_that_is_not_described_any_more_has_a_row_without_values(warehouse: Warehouse) -> None:
    """Else it would seem to have given the same answer; once is enough."""
    other = {**ROW, "topic": "payments", "sampled_at": LATER}
    new = changed_samples(warehouse, _table(other))
    nothing = dict.fromkeys(("topic_id", "leader_id", "leader_epoch", "log_start_offset", "high_watermark"))
    silent = {**ROW, **nothing, "last_stable_offset": None, "sampled_at": LATER}
    assert new.to_pylist() == [other, silent]
    _append(warehouse, new)
    assert changed_samples(warehouse, _table({**other, "sampled_at": LATER.replace(hour=14)})).num_rows == 0


def test_the_first_sample_is_new(tmp_path: Path) -> None:
    """An empty warehouse knows nothing; no partitions are no rows."""
    empty = Warehouse(str(tmp_path / "empty"))
    assert changed_samples(empty, _table(ROW)).num_rows == 1
    assert changed_samples(empty, _table()).num_rows == 0
