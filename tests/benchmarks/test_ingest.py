"""The measuring of a run over made-up logs: nothing is lost by it, and its table says what was measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from benchmarks.ingest import HEADS, Measured, Tails, make
from benchmarks.logs import SEGMENT_BYTES
from benchmarks.tree import Work

ROOT = Path(__file__).parents[2]
COMMITS = 20_000
PLAIN = Work(0, 2.0, 1.0, 0.0, 100 << 20, 0, 0)
WHOLE = Work(990_000, 1.0, 0.6, 0.5, 200 << 20, 300 << 20, 400 << 20)
APPENDED = Work(10_000, 0.5, 0.1, 0.05, 200 << 20, 300 << 20, 400 << 20)
NOTHING = Work(0, 0.25, 0.1, 0.0, 200 << 20, 300 << 20, 400 << 20)


def test_ends_are_cut_off_and_put_back(tmp_path: Path) -> None:
    """The files are byte by byte as they were; in between a hundredth of every partition that has so much is gone."""
    root = make(tmp_path, COMMITS, 4096)
    before = {path: path.read_bytes() for path in root.glob("*/*.log")}
    tails = Tails.cut(root, 100)
    gone = sum(map(len, tails.ends.values()))
    left = sum(path.stat().st_size for path in before)
    assert sum(map(len, before.values())) == left + gone
    assert 0 < gone <= (left + gone) // 100
    tails.put_back()
    assert {path: path.read_bytes() for path in before} == before


def test_logs_are_made_once(tmp_path: Path) -> None:
    """The second time they are there."""
    root = make(tmp_path, COMMITS, SEGMENT_BYTES)
    times = {path: path.stat().st_mtime_ns for path in root.glob("*/*.log")}
    assert make(tmp_path, COMMITS, SEGMENT_BYTES) == root
    assert {path: path.stat().st_mtime_ns for path in root.glob("*/*.log")} == times


WATCH: Final = """
import os, sys
from pathlib import Path
from benchmarks.ingest import read_plainly
from benchmarks.tree import family, watched

work = watched(lambda: read_plainly([Path(name) for name in sys.argv[1:]]))
assert os.getpid() in {process.pid for process in family()}
assert work.seconds > 0
assert work.cpu_seconds >= 0
assert work.driver_peak_bytes > 1 << 20
assert (work.worker_cpu_seconds, work.worker_peak_bytes) == (0, 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_work_is_watched(tmp_path: Path) -> None:
    """The process is one of those that are watched; one of its own, since this one may have workers of other tests."""
    segments = make(tmp_path, COMMITS, SEGMENT_BYTES).glob("*/*.log")
    watching = [sys.executable, "-c", WATCH, *map(str, segments)]
    assert subprocess.run(watching, check=False, capture_output=True, cwd=ROOT).stderr == b""


def test_the_table_says_what_was_measured() -> None:
    """Rates of two cores, ratios of one run, and memory by who needs it."""
    measured = Measured(1_000_000, 50, 94_000_000, 6_000_000, PLAIN, WHOLE, APPENDED, NOTHING)
    cells = dict(zip(HEADS, measured.cells(), strict=True))
    assert (cells["M commits"], cells["files"]) == ("1", "50")
    assert (cells["M/s by the clock"], cells["M/s of processor"], cells["of workers"]) == ("0.99", "3.30", "3.96")
    assert (cells["of read + CRC"], cells["Parquet"]) == ("1.65", "1/15.7")
    assert (cells["driver + Java MiB"], cells["worker MiB"]) == ("200 + 300", "400")
    assert (cells["1 % more s"], cells["nothing new s"]) == ("0.5", "0.25")
