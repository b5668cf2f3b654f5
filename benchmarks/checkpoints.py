"""What reading checkpoints of Spark costs, from files to rows: `python -m benchmarks.checkpoints [--rounds 5]`.

The checkpoints are made up: a hundred batches, as many as Spark keeps, of one topic, each with a file of offsets as
Spark 4.1 writes it and one of its commit. Processor time of one core counts. What stands behind the rows, writing them
and the reconstruction, costs what it costs for those of the offsets topic.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.ingest.stores.spark.rows import commit_columns
from benchmarks.report import markdown
from benchmarks.rounds import measured
from parsers.spark_checkpoints.checkpoint import read_checkpoint
from parsers.spark_checkpoints.checkpoint_files import find_checkpoints

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCHES: Final = 100
PLANNED_MS: Final = 1_795_167_796_424
SETTING: Final = "spark.sql.streaming.stateStore.providerClass"
SETTINGS: Final = {f"{SETTING}.{number}": "org.apache.spark.sql.execution.streaming.state" for number in range(10)}
"""About as long as those that Spark writes."""
HEADS: Final = ("partitions", "batches", "commits", "commits/s of a core", "files/s of a core")


def write_checkpoint(folder: Path, partitions: int) -> Path:
    """A checkpoint whose batches have an offset of each of so many partitions."""
    (folder / "offsets").mkdir(parents=True)
    (folder / "commits").mkdir()
    (folder / "metadata").write_text(json.dumps({"id": "6a6a3f9e-9d3c-4b1a-8f6b-0c6f5f0c9a11"}))
    for number in range(BATCHES):
        metadata = {"batchWatermarkMs": 0, "batchTimestampMs": PLANNED_MS + 1000 * number, "conf": SETTINGS}
        offsets = {"orders": {str(one): 1_000_000 + 50 * number + one for one in range(partitions)}}
        lines = ("v1", json.dumps(metadata), json.dumps(offsets))
        (folder / "offsets" / str(number)).write_text("\n".join(lines))
        (folder / "commits" / str(number)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    return folder


def read(folder: Path, times: int, _path: str) -> int:
    """The number of commits in a checkpoint that is read so often."""
    return sum(_rows(folder) for _ in range(times))


def _rows(folder: Path) -> int:
    (files,) = find_checkpoints(str(folder))
    rows: int = pa.table(commit_columns(read_checkpoint(files).complete, {}, {})).num_rows
    return rows


def measure(folder: Path, partitions: int, rounds: int) -> list[str]:
    """The row of checkpoints with so many partitions."""
    checkpoint, times = write_checkpoint(folder / str(partitions), partitions), max(1, 2000 // partitions)
    done = measured(partial(read, checkpoint, times), str(folder), rounds)
    count, seconds = done.count or 0, done.median_cpu_seconds
    return [
        f"{partitions:,}",
        f"{BATCHES}",
        f"{count:,}",
        f"{count / seconds:,.0f}",
        f"{BATCHES * times / seconds:,.0f}",
    ]


def main(partitions: Sequence[int] = (1, 10, 100, 1000)) -> None:
    """Measure checkpoints of several widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        print(markdown(HEADS, [measure(Path(folder), one, rounds) for one in partitions]))


if __name__ == "__main__":
    main()
