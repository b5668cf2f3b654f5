"""What a whole run costs, one over a hundredth more, and one over nothing new: `python -m benchmarks.increments 2 10`.

Each is `lagbook run` in a process of its own, over so many million commits by a made-up broker. Only this belongs here;
the logs come from `benchmarks.generate`, the cutting off of their ends from `benchmarks.ingest`.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.ingest import APPENDED_PART, MILLION, Tails, make
from benchmarks.logs import SEGMENT_BYTES
from benchmarks.report import markdown
from benchmarks.rounds import ROOT
from benchmarks.tree import watched

if TYPE_CHECKING:
    from benchmarks.tree import Work

HEADS: Final = (
    *("M commits", "first run s", "1 % more s", "nothing new s", "first run processor s", "1 % more processor s"),
    "1 % more / first",
    "largest process MiB",
)


def run(logs: Path, warehouse: Path) -> Work:
    """What one run costs, with all processes that it starts."""
    command = [str(Path(sys.executable).with_name("lagbook")), "run", "--logs", str(logs)]

    def work() -> int:
        subprocess.run([*command, "--warehouse", str(warehouse)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603 - its own
        return 0

    return watched(work)


def measure(logs: Path, warehouse: Path) -> list[Work]:
    """Read all but the ends of the logs, then these, then nothing."""
    tails = Tails.cut(logs, APPENDED_PART)
    try:
        first = run(logs, warehouse)
    finally:
        tails.put_back()
    return [first, run(logs, warehouse), run(logs, warehouse)]


def cells(millions: float, works: list[Work]) -> list[str]:
    """The row of this size."""
    first, more, _nothing = works
    return [
        f"{millions:g}",
        *(f"{work.seconds:.1f}" for work in works),
        f"{first.cpu_seconds:.1f}",
        f"{more.cpu_seconds:.1f}",
        f"{more.cpu_seconds / first.cpu_seconds:.2f}",
        f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10}",
    ]


def main() -> None:
    """Measure as many million commits as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.increments", description=__doc__)
    parser.add_argument("millions", type=float, nargs="*", default=[2.0])
    arguments = parser.parse_args()
    rows = []
    for millions in arguments.millions:
        with tempfile.TemporaryDirectory() as folder:
            logs = make(Path(folder), int(millions * MILLION), SEGMENT_BYTES)
            rows.append(cells(millions, measure(logs, Path(folder) / "warehouse")))
    print(markdown(HEADS, rows))


if __name__ == "__main__":
    main()
