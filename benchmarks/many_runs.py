"""A warehouse of many small runs against one of a single run: `python -m benchmarks.many_runs --runs 300`.

Only this measurement belongs here: the same logs, once in as many slices as there are runs, once whole; the questions
of both, the files and commits of their tables, and what a further run costs. Runs are ingest and replay, with tasks in
this process; every other table is made at the end, by whole runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING
from unittest.mock import patch

import duckdb

from assets.catalog import TABLES
from assets.duckdb import database, session
from assets.ingest.ingest import ingest
from assets.ingest.live.patience import WAITS_S
from assets.ingest.plan import Sources, plan
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from benchmarks.crowd import Shape
from benchmarks.generate import Broker, Files
from benchmarks.questions import QUESTIONS, Subject
from tests.assets.inline import inline
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES = 12
"""Of a batch, before the bytes that its length counts."""
ROUNDS = 15
SLOWEST = 1.5


@dataclass(frozen=True)
class GrowingLog:
    """A log directory that grows as a copy of another, slice by slice, each of whole batches."""

    source: Path
    target: Path
    slices: int

    def begin(self) -> None:
        """Copy all files but those of the offsets topic."""
        for path in sorted(self.source.rglob("*")):
            place = self.target / path.relative_to(self.source)
            if path.is_dir():
                place.mkdir(parents=True)
            elif path.suffix != ".log" or not path.parent.name.startswith("__consumer_offsets"):
                place.write_bytes(path.read_bytes())

    def grow(self, first: int, last: int) -> None:
        """Append the slices from the first up to before the last one."""
        for path in sorted(self.source.glob("__consumer_offsets-*/*.log")):
            ends = [0, *batch_ends(path.read_bytes())]
            begin, end = (ends[(len(ends) - 1) * number // self.slices] for number in (first, last))
            with (self.target / path.relative_to(self.source)).open("ab") as log:
                log.write(path.read_bytes()[begin:end])


def batch_ends(content: bytes) -> Iterator[int]:
    """The positions behind each batch of a segment."""
    position = 0
    while position < len(content):
        position += HEADER_BYTES + int.from_bytes(content[position + 8 : position + HEADER_BYTES], "big")
        yield position


def small_run(warehouse: Path, logs: Path) -> float:
    """Ingest and replay what is new; the processor time in seconds."""
    began, opened = time.process_time(), Warehouse(str(warehouse))
    ingest(inline, opened, plan(opened, Sources((str(logs),)), WAITS_S))
    replay(inline, opened)
    return time.process_time() - began


def full_run(warehouse: Path, logs: Path) -> float:
    """A whole run, with every table and the DuckDB file; the processor time in seconds."""
    began = time.process_time()
    done = whole_run(warehouse, [logs])
    if done.exit_code:
        raise RuntimeError(done.output)
    return time.process_time() - began


def answer_times(place: Path) -> dict[str, float]:
    """The processor time of each question in milliseconds, the median over keys and instants of the commits."""
    choice = Random(7)  # noqa: S311 - examples, no secrets
    with duckdb.connect(str(place), read_only=True) as connection:
        session.begin(connection)
        rows = connection.sql(
            "SELECT group_id, topic, partition, effective_at FROM core.commits WHERE topic IS NOT NULL"
            " ORDER BY hash(log_partition, log_offset) LIMIT 1000"
        ).fetchall()
        subjects = [Subject(*choice.choice(rows)) for _ in range(ROUNDS + 1)]
        return {name: _median_ms(ask, subjects, connection) for name, ask in QUESTIONS.items()}


def _median_ms(ask: object, subjects: list[Subject], connection: duckdb.DuckDBPyConnection) -> float:
    times = []
    for one in subjects:
        began = time.process_time()
        ask(one, connection)  # type: ignore[operator]
        times.append((time.process_time() - began) * 1000)
    return median(times[1:])


def files_of(place: Path) -> tuple[int, int]:
    """The data files of all tables, and the files in their logs."""
    warehouse = Warehouse(str(place))
    logs = sum(1 for _ in place.rglob("_delta_log/*"))
    return sum(len(warehouse.files(name)) for name in TABLES), logs


def measure(shape: Shape, runs: int, folder: Path) -> None:
    """Make both warehouses, and print how they compare."""
    broker = Broker(shape, Files(folder / "source"))
    broker.write_offsets()
    broker.write_data(2)
    broker.write_root()
    log = GrowingLog(folder / "source", folder / "logs", runs + 1)
    log.begin()
    many, one = folder / "many", folder / "one"
    seconds = []
    for number in range(runs):
        log.grow(number, number + 1)
        seconds.append(small_run(many, log.target))
        if number % 50 == 0:
            print(f"run {number}: {seconds[-1]:.2f} s of processor, files and log files {files_of(many)}", flush=True)
    small_run(one, log.target)
    share = max(runs // 10, 1)
    print(f"{runs} runs: the first {median(seconds[1 : share + 1]):.2f} s, the last {median(seconds[-share:]):.2f} s")
    print(f"all tables: {full_run(many, log.target):.1f} s after many, {full_run(one, log.target):.1f} s after one")
    print(f"files and log files: {files_of(many)} after many, {files_of(one)} after one")
    for copied, words in ((database.COPIED_ROWS_MOST, "small tables copied"), (-1, "views only")):
        with patch.object(database, "COPIED_ROWS_MOST", copied):
            _print_questions(many, one, words)
    log.grow(runs, runs + 1)
    print(f"one more slice: {full_run(many, log.target):.1f} s after many, {full_run(one, log.target):.1f} s after one")


def _print_questions(many: Path, one: Path, words: str) -> None:
    """Build both DuckDB files, and print the questions that differ most, and the ratio of all together."""
    for place in (many, one):
        began = time.process_time()
        database.build(Warehouse(str(place)))
        print(f"{words}: DuckDB file of {place.name} in {time.process_time() - began:.2f} s of processor")
    times = [answer_times(place / "lagbook.duckdb") for place in (many, one)]
    ratios = sorted((times[0][name] / times[1][name], name) for name in QUESTIONS)
    together = sum(times[0].values()) / sum(times[1].values())
    print(f"{words}: all questions {together:.2f} times as long after many runs; by question:")
    for ratio, name in reversed(ratios):
        print(f"| {name} | {times[1][name]:.1f} ms | {times[0][name]:.1f} ms | {ratio:.2f} |", flush=True)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_runs", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--commits", type=int, default=300_000)
    parser.add_argument("--partitions", type=int, default=8, help="of the offsets topic")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(Shape(arguments.commits, 100, 20, arguments.partitions), arguments.runs, Path(scratch))


if __name__ == "__main__":
    main()
