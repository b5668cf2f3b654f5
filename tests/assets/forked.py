"""Runs without Spark, in processes that are forked when everything is loaded: hundreds can be killed in a short time.

Put here how such a run is started and killed. What it must leave behind is said in `tests.assets.crash`; that runs on
Spark may be killed as well is tried there, a few at a time.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

RANGE_BYTES: Final = 200_000
"""Small ranges, so that there is much to interrupt."""
FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def read_and_replay(place: str, logs: Sequence[str], start_spark: Callable[[], SparkSession] = inline) -> None:
    """One run: what is new is read, then replayed."""
    warehouse = Warehouse(place)
    with patch("assets.ingest.ingest.RANGE_BYTES", RANGE_BYTES):
        ingest(start_spark, warehouse, plan(warehouse, Sources(tuple(logs), "c")))
    replay(start_spark, warehouse)


def run_forked(place: Path, logs: Sequence[Path], kill_after_s: float | None = None) -> float | None:
    """Run to the end, or until it is killed; how long it took, None when it did not end."""
    run = FORKS.Process(target=read_and_replay, args=(str(place), list(map(str, logs))))
    run.start()
    began = time.monotonic()
    if kill_after_s is not None:
        run.join(kill_after_s)
        run.kill()
    run.join()
    if run.exitcode not in {0, -signal.SIGKILL}:
        raise AssertionError(f"a run that nobody killed ended with {run.exitcode}")
    return time.monotonic() - began if run.exitcode == 0 else None
