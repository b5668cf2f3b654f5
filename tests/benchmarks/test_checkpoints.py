"""Checkpoints are measured as they are: every commit of every batch is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.checkpoints import BATCHES, read, write_checkpoint

if TYPE_CHECKING:
    from pathlib import Path


def test_every_commit_is_counted(tmp_path: Path) -> None:
    """As many as batches and partitions, each time."""
    assert read(write_checkpoint(tmp_path / "checkpoint", 3), 2, "") == 2 * 3 * BATCHES
