"""A process and all that it started, watched: processor time and memory at its most, by the part each plays.

Only the watching belongs here; what is watched is in `benchmarks.ingest`. Processes are found in /proc.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROC: Final = Path("/proc")
WORKER: Final = b"pyspark.daemon"
JAVA: Final = b"java"
TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """One process: its parent, what it is, and what it used so far, with that of children that ended."""

    pid: int
    parent: int
    command: bytes
    cpu_seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Work:
    """What a piece of work gave and took: on the clock, on the processors, and of memory at its most until its end."""

    rows: int
    seconds: float
    cpu_seconds: float
    worker_cpu_seconds: float
    driver_peak_bytes: int
    java_peak_bytes: int
    worker_peak_bytes: int
    """Of the largest worker."""


def watched(work: Callable[[], int]) -> Work:
    """Do it, and see what it took."""
    before = {process.pid: process.cpu_seconds for process in family()}
    begun = time.perf_counter()
    rows = work()
    seconds = time.perf_counter() - begun
    after = list(family())
    workers = [process for process in after if WORKER in process.command]
    java = [process for process in after if process.command.split(b"\0")[0].endswith(JAVA)]
    return Work(
        rows,
        seconds,
        sum(process.cpu_seconds - before.get(process.pid, 0.0) for process in after),
        sum(process.cpu_seconds - before.get(process.pid, 0.0) for process in workers),
        next(process.peak_bytes for process in after if process.pid == os.getpid()),
        max((process.peak_bytes for process in java), default=0),
        max((process.peak_bytes for process in workers), default=0),
    )


def family() -> Iterator[Process]:
    """This process and all below it."""
    processes = [_process(int(path.name)) for path in PROC.iterdir() if path.name.isdecimal()]
    known = {process.pid: process for process in processes if process is not None}
    for process in known.values():
        ancestor = process
        while ancestor.pid != os.getpid() and ancestor.parent in known:
            ancestor = known[ancestor.parent]
        if ancestor.pid == os.getpid():
            yield process


def _process(pid: int) -> Process | None:
    """What /proc says of a process; None when it is gone."""
    try:
        words = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        command = (PROC / str(pid) / "cmdline").read_bytes()
        status = (PROC / str(pid) / "status").read_text()
    except OSError:
        return None
    peaks = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")]
    return Process(pid, int(words[1]), command, sum(map(int, words[11:15])) / TICKS_PER_S, max(peaks, default=0))
