"""How fast segments become committed Parquet, through Spark: `python -m benchmarks.ingest --commits 2_000_000`.

What is measured belongs here, how a run is watched in `benchmarks.tree`. The data is made by `benchmarks.generate`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from benchmarks.crowd import Shape
from benchmarks.generate import OFFSETS_TOPIC, Broker, Files
from benchmarks.logs import SEGMENT_BYTES
from benchmarks.report import markdown
from benchmarks.rounds import ROOT
from benchmarks.tree import Work, watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

CORES: Final = 2
APPENDED_PART: Final = 100
WARM_UP_COMMITS: Final = 100_000
MILLION: Final = 1e6
MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True)
class Measured:
    """One size of a cluster: what each step took, and what became of the bytes."""

    commits: int
    files: int
    segment_bytes: int
    parquet_bytes: int
    plain: Work
    """Every byte read once, in pieces of 8 MiB, and its CRC-32C computed, in one process."""
    whole: Work
    """All but the last hundredth of each partition."""
    appended: Work
    """That last hundredth."""
    nothing_new: Work

    def cells(self) -> list[str]:
        """The row of this size."""
        whole = self.whole
        return [
            f"{self.commits / MILLION:g}",
            str(self.files),
            f"{whole.rows / whole.seconds / MILLION:.2f}",
            f"{CORES * whole.rows / whole.cpu_seconds / MILLION:.2f}",
            f"{CORES * whole.rows / whole.worker_cpu_seconds / MILLION:.2f}",
            f"{self.plain.cpu_seconds / whole.cpu_seconds * (whole.rows / self.commits):.2f}",
            f"1/{self.segment_bytes / self.parquet_bytes:.1f}",
            f"{whole.driver_peak_bytes / MEBIBYTE:.0f} + {whole.java_peak_bytes / MEBIBYTE:.0f}",
            f"{whole.worker_peak_bytes / MEBIBYTE:.0f}",
            f"{self.appended.seconds:.1f}",
            f"{self.nothing_new.seconds:.2f}",
        ]


HEADS: Final = (
    "M commits", "files", "M/s by the clock", "M/s of processor", "of workers", "of read + CRC", "Parquet",
    "driver + Java MiB", "worker MiB", "1 % more s", "nothing new s",
)  # fmt: skip


def make(directory: Path, commits: int, segment_bytes: int) -> Path:
    """The offsets topic of a made-up broker; it is made when it is not there."""
    root = directory / f"{commits}-{segment_bytes}"
    if not root.exists():
        broker = Broker(Shape(commits), Files(root, segment_bytes=segment_bytes))
        begun = time.perf_counter()
        broker.write_offsets()
        print(f"made {commits:,} commits at {commits / (time.perf_counter() - begun) / MILLION:.2f} M/s", flush=True)
        broker.write_root()
    return root


@dataclass(frozen=True)
class Tails:
    """The ends of the partitions' last segments, cut off for a while: what is put back has been appended."""

    ends: dict[Path, bytes]

    @classmethod
    def cut(cls, root: Path, part: int) -> Tails:
        """Cut about so small a part off every partition, in the middle of a batch like as not."""
        return cls(dict(_cut(root, part)))

    def put_back(self) -> None:
        """Append them again."""
        for path, end in self.ends.items():
            with path.open("ab") as file:
                file.write(end)


def _cut(root: Path, part: int) -> Iterator[tuple[Path, bytes]]:
    for partition in sorted(root.glob(f"{OFFSETS_TOPIC}-*")):
        segments = sorted(partition.glob("*.log"))
        total_bytes, last = sum(segment.stat().st_size for segment in segments), segments[-1]
        keep = max(last.stat().st_size - total_bytes // part, 0)
        with last.open("r+b") as file:
            file.seek(keep)
            yield last, file.read()
            file.truncate(keep)


def measure(root: Path, commits: int, scratch: Path) -> Measured:
    """Read all but the ends, then the ends, then nothing; in this process, which has a Spark session of its own."""
    segments = list(root.glob("*/*.log"))
    segment_bytes = sum(segment.stat().st_size for segment in segments)
    plain = watched(lambda: read_plainly(segments))
    tails = Tails.cut(root, APPENDED_PART)
    try:
        spark = _warm_session(scratch)
        warehouse = Warehouse(str(scratch / "warehouse"))
        whole = watched(lambda: _ingest(spark, warehouse, root))
    finally:
        tails.put_back()
    appended = watched(lambda: _ingest(spark, warehouse, root))
    nothing_new = watched(lambda: _ingest(spark, warehouse, root))
    if whole.rows + appended.rows < commits or nothing_new.rows:
        raise ValueError(f"{commits} commits: {whole.rows} and {appended.rows} rows were kept, then {nothing_new.rows}")
    parquet_bytes = sum(file.size_bytes for name in RAW for file in warehouse.file_list(name))
    spark.stop()
    return Measured(commits, len(segments), segment_bytes, parquet_bytes, plain, whole, appended, nothing_new)


def read_plainly(segments: list[Path]) -> int:
    """Read every byte and compute its checksum: nobody who checks anything can be faster."""
    from parsers.log.crc import crc32c  # noqa: PLC0415 - with it come the loops, which the parent doesn't need
    from parsers.log.segments import CHUNK_BYTES  # noqa: PLC0415
    from parsers.sources import open_file  # noqa: PLC0415

    for segment in segments:
        with open_file(str(segment)) as source:
            for position in range(0, source.size_bytes, CHUNK_BYTES):
                piece = source.read(position, CHUNK_BYTES)
                crc32c(piece, 0, len(piece))
    return 0


def _warm_session(scratch: Path) -> SparkSession:
    """A session whose workers have loaded everything."""
    from dagster_project.spark_session import start_session  # noqa: PLC0415 - Spark is for the process that measures

    spark = start_session(f"local[{CORES}]")
    _ingest(spark, Warehouse(str(scratch / "warm")), make(scratch / "warm-up", WARM_UP_COMMITS, SEGMENT_BYTES))
    return spark


def _ingest(spark: SparkSession, warehouse: Warehouse, root: Path) -> int:
    """A run's plan, reading and commits; the rows that were kept."""
    work = plan(warehouse, Sources((str(root),)))
    return ingest(lambda: spark, warehouse, work).rows["raw.offset_records"]


def _apart(data: Path, commits: int, segment_bytes: int) -> Measured:
    """Measure in a process of its own, so that peaks are of this size alone."""
    call = [sys.executable, "-m", "benchmarks.ingest", "--one", str(data), str(commits), str(segment_bytes)]
    done = subprocess.run(call, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603 - its own
    figures = json.loads(done.stdout.splitlines()[-1])
    named: dict[str, Any] = {name: Work(**one) if isinstance(one, dict) else one for name, one in figures.items()}
    return Measured(**named)


def _one(data: Path, commits: int, segment_bytes: int) -> None:
    with tempfile.TemporaryDirectory(dir=data, prefix="scratch-") as scratch:
        measured = measure(make(data, commits, segment_bytes), commits, Path(scratch))
    print(json.dumps(asdict(measured)))


def main() -> None:
    """Read the command line, measure, print the tables and write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--commits", type=int, nargs="*", default=[2_000_000, 20_000_000])
    parser.add_argument("--data", type=Path, help="where logs and warehouses are made; a temporary place without it")
    parser.add_argument("--json", type=Path, help="where the measurements are written")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        _one(Path(arguments.one[0]), int(arguments.one[1]), int(arguments.one[2]))
        return
    sizes = [(commits, SEGMENT_BYTES) for commits in arguments.commits]
    with tempfile.TemporaryDirectory() as temporary:
        measured = [_apart(arguments.data or Path(temporary), *size) for size in sizes]
    print(markdown(HEADS, [one.cells() for one in measured]))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in measured], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
