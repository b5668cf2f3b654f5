"""How fast segments are decoded, and against whom: `python -m benchmarks.decode --json RESULT.json`.

What is compared with what belongs here. The data is made by `benchmarks.generate`, and measuring is
`benchmarks.rounds`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import programs
from benchmarks.crowd import Shape
from benchmarks.data_logs import write_data_log
from benchmarks.generate import OFFSETS_TOPIC, Broker, Files
from benchmarks.readers import has_kafka_python
from benchmarks.report import FirstUse, Line, Measurements
from benchmarks.rounds import run_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.rounds import Rounds

ONE_SEGMENT_BYTES: Final = 2**31 - 1
SMALL_PART: Final = 10
DATA_BATCHES: Final = 32_768
FIRST_USE_COMMITS: Final = 40_000

_KAFKA: Final = (
    ("Kafka's classes, as a coordinator loads", "none", "pieces", "Kafka loading"),
    ("Kafka's classes, as a coordinator loads, lz4", "lz4", "pieces", ""),
    ("Kafka's classes, as a coordinator loads, zstd", "zstd", "pieces", ""),
    ("Kafka's classes, batch by batch", "none", "batches", "Kafka batches"),
)


@dataclass(frozen=True)
class Bench:
    """What is measured: where the data is made, how much of it, and how often each goes over it."""

    directory: Path
    commits: int
    rounds: int

    def segment(self, codec: str, commits: int) -> Path:
        """Give a segment of one partition that holds all groups; it is made when it is not there."""
        root = self.directory / f"{codec}-{commits}"
        if not root.exists():
            shape = Shape(commits, log_partitions=1)
            Broker(shape, Files(root, codec, ONE_SEGMENT_BYTES)).write_offsets()
        return root / f"{OFFSETS_TOPIC}-0" / f"{0:020d}.log"

    @cached_property
    def plain(self) -> Path:
        """The segment of the standard work."""
        return self.segment("none", self.commits)

    @cached_property
    def small(self) -> Path:
        """A tenth of it, for those who are slow; their rate does not depend on the size."""
        return self.segment("none", self.commits // SMALL_PART)

    @cached_property
    def data(self) -> Path:
        """A segment of a data topic in batches of 16 KiB: half a GiB where the commits are two million."""
        directory = self.directory / f"data-{self.commits}" / "orders-0"
        if not directory.exists():
            batches = max(1, DATA_BATCHES * self.commits // 2_000_000)
            write_data_log(directory, 0, batches, ONE_SEGMENT_BYTES)
        return directory / f"{0:020d}.log"

    @cached_property
    def _walk(self) -> Rounds:
        return run_reader("walked", self.plain, self.rounds)

    def lines(self) -> Iterator[Line]:
        """Measure everybody on the standard work, Lagbook first."""
        yield self._line("Lagbook: walk, checksums, record spans", self._walk, self.plain)
        yield self._reader("Lagbook: file to Arrow columns", "columns", self.plain)
        for codec in ("lz4", "zstd"):
            yield self._reader(f"Lagbook: file to Arrow columns, {codec}", "columns", self.segment(codec, self.commits))
        if programs.has_dump():
            yield self._line("lagbook dump", programs.lagbook_dump(self.plain, self.rounds), self.plain)
        if jars := programs.kafka_jars():
            yield from self._kafka_classes(jars)
            measured = programs.kafka_dump_log(jars, self.plain, self.rounds)
            yield self._line("kafka-dump-log --offsets-decoder", measured, self.plain, "kafka-dump-log")
        yield self._reader("Python loop with struct, no checksums", "struct_loop", self.small, "struct loop")
        if has_kafka_python():
            yield self._reader("kafka-python: envelopes only, no checksums", "kafka_python", self.small)

    def headers(self) -> Line:
        """Measure the reading of headers alone: batches, where the others count records."""
        return self._reader("Lagbook: headers of 16 KiB batches", "headers", self.data)

    def _kafka_classes(self, jars: Path) -> Iterator[Line]:
        for what, codec, way, rival in _KAFKA:
            path = self.segment(codec, self.commits)
            yield self._line(what, programs.kafka_classes(jars, path, way, self.rounds), path, rival)

    def _reader(self, what: str, reader: str, path: Path, rival: str = "") -> Line:
        return self._line(what, run_reader(reader, path, self.rounds), path, rival)

    def _line(self, what: str, measured: Rounds, path: Path, rival: str = "") -> Line:
        records = self._walk.count if measured.count is None else measured.count
        return Line(what, records or 0, path.stat().st_size, measured, rival)

    def first_uses(self) -> Iterator[FirstUse]:
        """Measure new processes: one that must compile, and one that finds what was compiled."""
        path = self.segment("none", FIRST_USE_COMMITS)
        with tempfile.TemporaryDirectory() as cache:
            for what in ("nothing compiled yet", "compiled before"):
                begun = time.perf_counter()
                first = run_reader("columns", path, 0, {"NUMBA_CACHE_DIR": cache}).first
                yield FirstUse(what, time.perf_counter() - begun, 0 if first is None else first.seconds)


def main() -> None:
    """Read the command line, measure, print the tables and write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decode", description=__doc__)
    parser.add_argument("--commits", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, help="where the segments are made, and kept; a temporary place without it")
    parser.add_argument("--json", type=Path, help="where the measurements are written")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(arguments.data or Path(temporary), arguments.commits, arguments.rounds)
        measured = Measurements(tuple(bench.lines()), bench.headers(), tuple(bench.first_uses()))
    print(measured.as_markdown())
    if arguments.json:
        measured.write_json(arguments.json, {"commits": arguments.commits, "rounds": arguments.rounds})


if __name__ == "__main__":
    main()
