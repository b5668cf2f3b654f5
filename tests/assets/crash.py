"""Runs that are killed: `python -m tests.assets.crash --kills 200` kills real runs and holds what is left to account.

Put here the run on Spark that is killed, the killing, and the account. With `--on-server` runs are those of
`tests.spark.connected`, on a Spark that stands; with `--without-spark` those of `tests.assets.forked`. Of both many
more can be killed in the same time. A short form is `test_crash`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from unittest.mock import patch

import pyarrow.dataset as ds

from assets.catalog import TABLES
from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.reconstruct.projections import OUTPUTS
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack
from dagster_project.spark_session import start_session
from tests.assets.forked import RANGE_BYTES, run_forked
from tests.processes import below, command
from tests.spark.connected import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
TIMES: Final = {"read_at"}
"""Columns that differ from run to run."""
VICTIMS: Final = ("driver", "worker")
VICTIMS_ON_SERVER: Final = (*VICTIMS * 20, "machine")
"""Now and then Spark dies with its driver, as when a machine does; it takes long to start."""


@dataclass(frozen=True, slots=True)
class Account:
    """What stands in a warehouse: every row of what was read, without when it was read; and what was made of it."""

    rows: dict[str, list[str]]

    @classmethod
    def of(cls, warehouse: Warehouse) -> Account:
        """Read every raw table, and every one that is replayed from them, whole."""
        names = {*RAW, *OUTPUTS} - {"raw.segments"}
        return cls({name: sorted(map(repr, _rows(warehouse, name))) for name in sorted(names)})


def _rows(warehouse: Warehouse, name: str) -> Iterator[dict[str, Any]]:
    files = warehouse.files(name)
    if files:
        table = ds.dataset(files, schema=TABLES[name].schema).to_table()
        yield from table.drop_columns([column for column in TIMES if column in table.column_names]).to_pylist()


def read_once(place: str, logs: Sequence[str]) -> None:
    """One run, in this process: what `lagbook run` does before any table is made from what was read."""
    warehouse = Warehouse(place)
    work = plan(warehouse, Sources(tuple(logs), "c"))
    spark = start_session("local[2,1]")
    print("ready", flush=True)  # noqa: T201 - the one who kills waits for it
    with patch("assets.ingest.ingest.RANGE_BYTES", RANGE_BYTES):
        ingest(lambda: spark, warehouse, work)
    print("done", flush=True)  # noqa: T201 - the one who kills waits for it


@dataclass(frozen=True, slots=True)
class Kill:
    """When a run is killed, in seconds after it is ready to read, and which of its processes is."""

    after_s: float
    victim: str


class Runner(Protocol):
    """Runs to the end, or until it is killed; gives how long it took, None when it did not end."""

    def __call__(self, place: Path, logs: Sequence[Path], kill: Kill | None = None) -> float | None:
        """One run."""


def run_alone(place: Path, logs: Sequence[Path], kill: Kill | None = None) -> float | None:
    """A run without Spark, which has no other process than its own."""
    return run_forked(place, logs, None if kill is None else kill.after_s)


def run(place: Path, logs: Sequence[Path], kill: Kill | None = None) -> float | None:
    """A run on Spark, from when it is ready to when it is done."""
    call = [sys.executable, "-m", "tests.assets.crash", "--read", str(place), *map(str, logs)]
    with subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        lines = iter(process.stdout) if process.stdout else iter(())
        next((line for line in lines if line == "ready\n"), None)
        began = time.monotonic()
        if kill is not None:
            time.sleep(kill.after_s)
            _kill(process.pid, kill.victim)
        is_done = any(line == "done\n" for line in lines)
    return time.monotonic() - began if is_done else None


def _kill(driver: int, victim: str) -> None:
    """Kill the driver, or one of its Python workers if there is any now."""
    workers = [pid for pid in below(driver) if b"pyspark.worker" in command(pid) or b"pyspark.daemon" in command(pid)]
    target = workers[-1] if victim == "worker" and workers else driver
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:
        return


def survive(folder: Path, logs: Sequence[Path], expected: Account, kills: Sequence[Kill], run_it: Runner = run) -> int:
    """Kill runs one after the other over one warehouse, then let one end; returns how many were killed at work.

    Whenever a run was killed, what the tables show must be whole, and a part of what an undisturbed run would show. One
    that came to its end before it was to be killed leaves nothing to do to the others.
    """
    place, hit = folder / "warehouse", 0
    for kill in kills:
        if run_it(place, logs, kill) is not None:
            break
        hit += 1
        _hold(Account.of(Warehouse(str(place))), expected, is_gap_free=False)
    else:
        if run_it(place, logs) is None:
            raise AssertionError("the undisturbed run after the kills did not end")
    _hold(Account.of(Warehouse(str(place))), expected, is_gap_free=True)
    return hit


def _hold(actual: Account, expected: Account, *, is_gap_free: bool) -> None:
    for name, rows in expected.rows.items():
        there = actual.rows[name]
        if len(set(there)) != len(there):
            raise AssertionError(f"{name}: {len(there) - len(set(there))} rows are there twice")
        # What is replayed from a part of the records may say something else; it is made anew when the rest is there.
        is_part = name in OUTPUTS or set(there) <= set(rows)
        if not is_part or (is_gap_free and there != rows):
            raise AssertionError(f"{name}: {len(there)} rows, expected {len(rows)}")


def prepare(scratch: Path, partitions: str = "*-*", run_it: Runner = run) -> tuple[list[Path], Account, float]:
    """Two copies of these partitions of the recorded incident; what an undisturbed run makes of them, and how long."""
    recorded, logs = unpack(scratch / "recorded"), [scratch / "logs", scratch / "replica"]
    folders = [folder for folder in recorded.glob(partitions) if folder.is_dir()]
    for folder, copy in product(folders, logs):
        shutil.copytree(folder, copy / folder.name)
    took = run_it(scratch / "undisturbed", logs)
    if took is None:
        raise AssertionError("the undisturbed run did not end")
    return logs, Account.of(Warehouse(str(scratch / "undisturbed"))), took


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--per-warehouse", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--partitions", default="*-*", help="those of the incident whose folders are called so")
    parser.add_argument("--on-server", action="store_true", help="read and replay on a Spark that is not started anew")
    parser.add_argument("--without-spark", action="store_true", help="read and replay in one process, and kill that")
    parser.add_argument("--read", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Kill as often as asked, a few kills a warehouse, and say how it went."""
    arguments = _arguments()
    if arguments.read:
        read_once(arguments.read[0], arguments.read[1:])
        return
    with tempfile.TemporaryDirectory() as scratch:
        if not arguments.on_server:
            _kill_all(arguments, Path(scratch), run_alone if arguments.without_spark else run, VICTIMS)
            return
        standing = Standing(Path(scratch) / "server")
        try:
            _kill_all(arguments, Path(scratch), standing, VICTIMS_ON_SERVER)
            print(f"killed were {standing.killed}", flush=True)  # noqa: T201 - what it is called for
        finally:
            standing.end()


def _kill_all(arguments: argparse.Namespace, scratch: Path, run_it: Runner, victims: Sequence[str]) -> None:
    dice, hit, ended = random.Random(arguments.seed), 0, 0  # noqa: S311 - moments, not secrets
    logs, expected, took = prepare(scratch, arguments.partitions, run_it)
    took = run_it(scratch / "again", logs) or took  # what is warm is faster than what was the first
    while hit < arguments.kills:
        kills = [Kill(dice.uniform(0, took), dice.choice(victims)) for _ in range(arguments.per_warehouse)]
        folder = scratch / f"warehouse-{ended}"
        folder.mkdir()
        hit += survive(folder, logs, expected, kills[: arguments.kills - hit], run_it)
        shutil.rmtree(folder)
        ended += 1
        print(f"{hit} runs were killed at work, over {ended} warehouses; every archive was whole", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
