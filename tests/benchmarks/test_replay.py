"""That the benchmark of the replay measures what it says: all commits, replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.archive import Warehouse
from assets.replaying.plan import plan
from benchmarks.replay import PARTITIONS, archived, measure

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_made_up_is_archived_by_partition(tmp_path: Path) -> None:
    """As many commits as asked for, and work for every partition."""
    warehouse = Warehouse(str(tmp_path))
    archived(warehouse, 800)
    assert warehouse.row_count("raw.offset_records") == 800
    assert len(plan(warehouse).jobs) == PARTITIONS


def test_a_measurement_is_one_line() -> None:
    """How many, how long, how fast, and how much memory."""
    line = measure(0.0008)
    assert line.startswith("0.0008 M commits: ")
    assert line.endswith(" MiB")
