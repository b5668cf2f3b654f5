"""That the benchmark of the replay measures what it says: all commits, replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.plan import plan
from assets.reconstruct.projections import OUTPUTS
from assets.reconstruct.worker import LogFacts, work
from assets.storage.warehouse import Warehouse
from benchmarks.replay import GROUPS, PARTITIONS, archived, measure

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_made_up_is_archived_by_partition(tmp_path: Path) -> None:
    """As many commits as asked for, and work for every partition."""
    warehouse = Warehouse(str(tmp_path))
    archived(warehouse, 800)
    assert warehouse.row_count("raw.offset_records") == 800
    assert len(plan(warehouse).jobs) == PARTITIONS


def test_with_members_every_commit_has_an_owner(tmp_path: Path) -> None:
    """Each group gives out all partitions of its topic before it commits."""
    warehouse = Warehouse(str(tmp_path))
    archived(warehouse, 80, with_members=True)
    assert warehouse.row_count("raw.offset_records") == 80 + PARTITIONS * len(GROUPS)
    job = plan(warehouse).jobs[0]
    folders = {name: str(tmp_path / name) for name in (*OUTPUTS, CHECKPOINTS.full_name)}
    for folder in folders.values():
        warehouse.make_folder(folder)
    (replayed,) = work([job], [LogFacts()], folders, 0)["partitions"]
    (commits,) = (file for file in replayed["files"] if file["table"] == "core.commits")
    assert set(pq.read_table(commits["path"])["actor"].to_pylist()) == {"owner"}


def test_a_measurement_is_one_line() -> None:
    """How many, how long, how fast, and how much memory."""
    line = measure(0.0008)
    assert line.startswith("0.0008 M commits: ")
    assert line.endswith(" MiB")
