"""One reader, run again and again in a process of its own: `python -m benchmarks.rounds READER FILE ROUNDS`.

Only measuring belongs here, of readers and of programs. What is compared is in `benchmarks.readers` and
`benchmarks.programs`, what with what in `benchmarks.decode`.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT: Final = Path(__file__).resolve().parents[1]

_STATUS: Final = Path("/proc/self/status")


class Round(NamedTuple):
    """One time over the file: on the clock, and on the processor, which other programs may have had meanwhile."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Rounds:
    """What was measured of one reader or program."""

    count: int | None
    """Records (or batches, of headers) found in each round; None for a program that does not say."""
    rounds: tuple[Round, ...]
    first: Round | None = None
    """A reader's time before the rounds, which warms up and is not one of them."""
    peak_bytes: int | None = None
    """Memory at its most in that time, over what the process had before; None where the system doesn't say."""

    @property
    def best_cpu_seconds(self) -> float:
        """Processor time of the best round."""
        return min(one.cpu_seconds for one in self.rounds)

    @property
    def median_cpu_seconds(self) -> float:
        """Processor time of the round in the middle."""
        return median(one.cpu_seconds for one in self.rounds)

    @property
    def best_seconds(self) -> float:
        """The shortest round on the clock."""
        return min(one.seconds for one in self.rounds)


def pinned(command: Sequence[str]) -> list[str]:
    """Keep a command on one core, where the system has a program for that."""
    taskset = shutil.which("taskset")
    return [taskset, "-c", str(max(os.sched_getaffinity(0))), *command] if taskset else list(command)


def run_reader(reader: str, path: Path, rounds: int, environment: Mapping[str, str] | None = None) -> Rounds:
    """Measure a reader of `benchmarks.readers` in a new process."""
    command = pinned([sys.executable, "-m", "benchmarks.rounds", reader, str(path), str(rounds)])
    surroundings = {**os.environ, **(environment or {})}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=surroundings)  # noqa: S603 - its own
    answer = json.loads(done.stdout)
    rounds_done = tuple(Round(*one) for one in answer["rounds"])
    return Rounds(answer["count"], rounds_done, Round(*answer["first"]), answer["peak_bytes"])


def run_program(command: Sequence[str], rounds: int) -> Rounds:
    """Measure a program from its start to its end, its output thrown away."""
    return Rounds(None, tuple(_timed(lambda: _run(pinned(command)), resource.RUSAGE_CHILDREN) for _ in range(rounds)))


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def _timed(work: Callable[[], object], whose: int = resource.RUSAGE_SELF) -> Round:
    """Time one round, on the clock and on the processor."""
    begun, used = time.perf_counter(), resource.getrusage(whose)
    work()
    seconds, now = time.perf_counter() - begun, resource.getrusage(whose)
    return Round(seconds, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)


def _memory_bytes(name: str) -> int | None:
    """Give a size that Linux tells of this process."""
    if not _STATUS.exists():
        return None
    lines = (line.split() for line in _STATUS.read_text(encoding="ascii").splitlines())
    return next(int(words[1]) * 1024 for words in lines if words[0] == f"{name}:")


def measured(reader: Callable[[str], int], path: str, rounds: int) -> Rounds:
    """Measure a reader in this process."""
    counts: list[int] = []
    before_bytes = _memory_bytes("VmRSS")
    first = _timed(lambda: counts.append(reader(path)))
    most_bytes = _memory_bytes("VmHWM")
    peak_bytes = None if before_bytes is None or most_bytes is None else most_bytes - before_bytes
    times = tuple(_timed(lambda: counts.append(reader(path))) for _ in range(rounds))
    if len(set(counts)) > 1:
        raise ValueError(f"{path}: expected the same count in every round, found {counts}")
    return Rounds(counts[0], times, first, peak_bytes)


def main() -> None:
    """Measure the reader that the command line names, and print what was measured."""
    from benchmarks.readers import READERS  # noqa: PLC0415 - only the process that measures needs what it measures

    name, path, rounds = sys.argv[1:]
    print(json.dumps(vars(measured(READERS[name], path, int(rounds)))))


if __name__ == "__main__":
    main()
