"""Runs that are killed: `python -m tests.assets.crash --kills 200` kills real runs and holds what is left to account.

Put here the run that is killed, the killing, and the account. A short form of it is `test_crash`.
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
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import pyarrow.dataset as ds

from assets.archive import Warehouse
from assets.ingesting.ingest import RAW, ingest
from assets.ingesting.plan import Sources, plan
from assets.tables import TABLES
from dagster_project.cli.demo import unpack
from dagster_project.spark_session import start_session
from tests.processes import below, command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
RANGE_BYTES: Final = 200_000
"""Small ranges, so that there is much to interrupt."""
TIMES: Final = {"read_at"}
"""Columns that differ from run to run."""
VICTIMS: Final = ("driver", "worker")


@dataclass(frozen=True, slots=True)
class Account:
    """What stands in a warehouse: every row of what was read, without when it was read."""

    rows: dict[str, list[str]]

    @classmethod
    def of(cls, warehouse: Warehouse) -> Account:
        """Read every raw table whole."""
        return cls({name: sorted(map(repr, _rows(warehouse, name))) for name in RAW if name != "raw.segments"})


def _rows(warehouse: Warehouse, name: str) -> Iterator[dict[str, Any]]:
    files = warehouse.files(name)
    if files:
        table = ds.dataset(files, schema=TABLES[name].schema).to_table()
        yield from table.drop_columns([column for column in TIMES if column in table.column_names]).to_pylist()


def read_once(place: str, logs: Sequence[str]) -> None:
    """One run, in this process: what `lagbook run` does before any table is made from what was read."""
    warehouse = Warehouse(place)
    work = plan(warehouse, Sources(tuple(logs), "c"))
    spark = start_session("local[2]")
    print("ready", flush=True)  # noqa: T201 - the one who kills waits for it
    with patch("assets.ingesting.ingest.RANGE_BYTES", RANGE_BYTES):
        ingest(lambda: spark, warehouse, work)
    print("done", flush=True)  # noqa: T201 - the one who kills waits for it


@dataclass(frozen=True, slots=True)
class Kill:
    """When a run is killed, in seconds after it is ready to read, and which of its processes is."""

    after_s: float
    victim: str


def run(place: Path, logs: Sequence[Path], kill: Kill | None = None) -> float | None:
    """Run to the end, or until it is killed; returns how long it took from ready to done, None when it did not end."""
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


def survive(folder: Path, logs: Sequence[Path], expected: Account, kills: Sequence[Kill]) -> int:
    """Kill runs one after the other over one warehouse, then let one end; returns how many kills hit a run at work.

    Whenever a run was killed, what the tables show must be whole, and a part of what an undisturbed run would show.
    """
    place, hit = folder / "warehouse", 0
    for kill in kills:
        hit += run(place, logs, kill) is None
        _hold(Account.of(Warehouse(str(place))), expected, is_whole=False)
    if run(place, logs) is None:
        raise AssertionError("the undisturbed run after the kills did not end")
    _hold(Account.of(Warehouse(str(place))), expected, is_whole=True)
    return hit


def _hold(found: Account, expected: Account, *, is_whole: bool) -> None:
    for name, rows in expected.rows.items():
        there = found.rows[name]
        if len(set(there)) != len(there):
            raise AssertionError(f"{name}: {len(there) - len(set(there))} rows are there twice")
        if not set(there) <= set(rows) or (is_whole and there != rows):
            raise AssertionError(f"{name}: {len(there)} rows, expected {len(rows)}")


def prepare(scratch: Path, partitions: str = "*-*") -> tuple[list[Path], Account, float]:
    """Two copies of these partitions of the recorded incident; what an undisturbed run makes of them, and how long."""
    recorded, logs = unpack(scratch / "recorded"), [scratch / "logs", scratch / "replica"]
    folders = [folder for folder in recorded.glob(partitions) if folder.is_dir()]
    for folder, copy in product(folders, logs):
        shutil.copytree(folder, copy / folder.name)
    took = run(scratch / "undisturbed", logs)
    if took is None:
        raise AssertionError("the undisturbed run did not end")
    return logs, Account.of(Warehouse(str(scratch / "undisturbed"))), took


def main() -> None:
    """Kill as often as asked, a few kills a warehouse, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--per-warehouse", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read:
        read_once(asked.read[0], asked.read[1:])
        return
    dice, killed, hit = random.Random(asked.seed), 0, 0  # noqa: S311 - moments, not secrets
    with tempfile.TemporaryDirectory() as scratch:
        logs, expected, took = prepare(Path(scratch))
        while killed < asked.kills:
            count = min(asked.per_warehouse, asked.kills - killed)
            kills = [Kill(dice.uniform(0, took), dice.choice(VICTIMS)) for _ in range(count)]
            folder = Path(scratch) / f"warehouse-{killed}"
            folder.mkdir()
            hit += survive(folder, logs, expected, kills)
            shutil.rmtree(folder)
            killed += count
            print(f"{killed} kills, {hit} of them hit a run at work; every archive was whole", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
