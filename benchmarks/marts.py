"""What the way from core tables to every mart costs: `python -m benchmarks.marts 1 4`, of so many million commits.

Only this measurement belongs here: each table made in a process of its own. The history is made up in
`benchmarks.history`; what a replay costs is in `benchmarks.replay`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.marts import TRANSFORMS
from assets.materialize import from_model, model_reads
from assets.steps.table_steps import from_any_transform
from assets.storage.warehouse import Warehouse
from benchmarks.history import history
from benchmarks.report import markdown
from benchmarks.rounds import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_S: Final = 900
HEADS: Final = (
    "table",
    "M commits",
    "rows",
    "processor s",
    "s per M commits",
    "clock s",
    "peak MiB",
    "of it to begin with",
)
_MIB: Final = 1024


class Cost(NamedTuple):
    """What making one table took, and the most memory its process had, in KiB: ever, and before it began."""

    rows: int
    cpu_seconds: float
    seconds: float
    peak_kib: int
    before_kib: int


def derived() -> list[str]:
    """Every table behind the replay, each behind those that it is made from."""
    reads = {
        name: (TRANSFORMS[name].reads if name in TRANSFORMS else model_reads(table)) - {name}
        for name, table in TABLES.items()
        if table.origin in {Origin.MODEL, Origin.TRANSFORM}
    }
    return [name for name in TopologicalSorter(reads).static_order() if name in reads]


def make(warehouse: Warehouse, name: str) -> None:
    """Make one table, as its asset does."""
    if name in TRANSFORMS:
        from_any_transform(warehouse, TABLES[name], TRANSFORMS[name])
    else:
        from_model(warehouse, TABLES[name])


def cost(name: str, folder: str) -> Cost:
    """Make one table in this process, which has made it of nothing before: what is loaded once is not of its cost."""
    warehouse = Warehouse(folder)
    with tempfile.TemporaryDirectory() as empty:
        history(Warehouse(empty), 0)
        make(Warehouse(empty), name)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    make(warehouse, name)
    after, seconds = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - began
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(warehouse.row_count(name), used, seconds, after.ru_maxrss, before.ru_maxrss)


def measured(name: str, folder: Path) -> Cost | None:
    """Make one table in a process of its own; None if it does not come to an end."""
    command = [sys.executable, "-m", "benchmarks.marts", "--make", name, str(folder)]
    try:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, timeout=LONGEST_S)  # noqa: S603 - its own
    except subprocess.TimeoutExpired:
        return None
    return Cost(*json.loads(done.stdout))


def measure(millions: float, folder: Path) -> Iterator[tuple[str, ...]]:
    """Make up a history, unless it is there, and every table that rests on it."""
    if Warehouse(str(folder)).version("core.commits") is None:
        history(Warehouse(str(folder)), int(millions * 1e6))
    for name in derived():
        yield row(name, millions, measured(name, folder))


def row(name: str, millions: float, cost: Cost | None) -> tuple[str, ...]:
    """What making a table took, as it is printed."""
    if cost is None:
        return (name, f"{millions:g}", *["-"] * (len(HEADS) - 2))
    times = (f"{cost.cpu_seconds:.2f}", f"{cost.cpu_seconds / millions:.2f}", f"{cost.seconds:.1f}")
    return (
        name,
        f"{millions:g}",
        f"{cost.rows:,}",
        *times,
        f"{cost.peak_kib / _MIB:.0f}",
        f"{cost.before_kib / _MIB:.0f}",
    )


def main() -> None:
    """Measure as many million commits as the command line says, or make the one table that it names."""
    if sys.argv[1:2] == ["--make"]:
        print(json.dumps(cost(*sys.argv[2:])))
        return
    for given in sys.argv[1:] or ("1",):
        with tempfile.TemporaryDirectory() as scratch:
            print(markdown(HEADS, list(measure(float(given), Path(scratch)))), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
