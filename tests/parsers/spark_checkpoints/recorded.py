"""The recorded checkpoint, taken apart, and checkpoints that a test writes as Spark does."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Final

RECORDED: Final = Path(__file__).parents[2] / "bytes" / "spark-checkpoint"
QUERY_ID: Final = "4c46df27-68a5-4bb5-8452-684600257779"
PLANNED_MS: Final = 1_700_000_000_000


def unpack(to: Path) -> Path:
    """The three states of the recorded query, as folders `killed`, `restarted` and `rewound`."""
    with tarfile.open(RECORDED / "recorded.tar.xz") as archive:
        archive.extractall(to, filter="data")
    return to


def processed(state: str) -> list[tuple[int, str, int, int, int]]:
    """What the recorded query's sink had processed by then."""
    return [tuple(one) for one in json.loads((RECORDED / "processed.json").read_text())[state]]


def write_batch(
    checkpoint: Path, number: int, *sources: object, planned_ms: int | None = None, is_complete: bool = True
) -> Path:
    """Write a batch into a checkpoint; a source is its offset, or None."""
    planned_ms = PLANNED_MS + 1000 * number if planned_ms is None else planned_ms
    lines = ["v1", json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": planned_ms, "conf": {}})]
    lines += ["-" if one is None else json.dumps(one) for one in sources]
    file = checkpoint / "offsets" / str(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines))
    if is_complete:
        write_commit(checkpoint, number, planned_ms + 500)
    return file


def write_commit(checkpoint: Path, number: int, at_ms: int) -> Path:
    """Write that a batch is complete, at a time."""
    file = checkpoint / "commits" / str(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('v1\n{"nextBatchWatermarkMs":0}')
    os.utime(file, (at_ms / 1000, at_ms / 1000))
    return file


def write_metadata(checkpoint: Path, query_id: str) -> None:
    """Write whose checkpoint it is."""
    checkpoint.mkdir(parents=True, exist_ok=True)
    (checkpoint / "metadata").write_text(json.dumps({"id": query_id}))
