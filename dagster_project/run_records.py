"""Writes the record of a warehouse's last run: its start, and its failures when it ends.

Put here when a record is written, for runs of the command line and of Dagster alike. What stands in one is said in
`assets.duckdb.last_run`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.duckdb import last_run
from assets.duckdb.last_run import LastRun, now
from assets.storage.lease import writer_lease
from dagster_project.cli.progress import Follower
from dagster_project.file_modes import restricted
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.storage.warehouse import Warehouse

CHECK_JOB: Final = "check_all"
"""The job that only looks at tables: it neither waits for writers nor counts as a run of the warehouse."""
OUTCOME_EVENTS: Final = {dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.ASSET_MATERIALIZATION}
INTERRUPTED: Final = "it was interrupted"


@contextmanager
def run_record(warehouse: Warehouse, context: dg.InitResourceContext, wait_s: float) -> Iterator[None]:
    """Have the lease while a run lasts, and record how it began and ended; a look, such as a sensor's, is no run."""
    if context.run is None or context.instance is None or context.run.job_name == CHECK_JOB:
        yield
        return
    with restricted(), writer_lease(warehouse, wait_s):
        yield from _run_record(warehouse, context, context.instance, context.run.run_id)


def _run_record(
    warehouse: Warehouse, context: dg.InitResourceContext, instance: dg.DagsterInstance, run_id: str
) -> Iterator[None]:
    run = LastRun(now())
    _write(warehouse, run, context)
    failure: str | None = INTERRUPTED
    try:
        yield
        failure = failure_of(instance, run_id)
    finally:
        _write(warehouse, LastRun(run.started_at, now(), failure), context)


def failure_of(instance: dg.DagsterInstance, run_id: str) -> str | None:
    """What went wrong in a run, from its events; None where nothing did."""
    follower = Follower(lambda _line: None, lambda _step: None)
    for entry in instance.all_logs(run_id, of_type=OUTCOME_EVENTS):
        follower(entry)
    return follower.outcome.failure


def _write(warehouse: Warehouse, run: LastRun, context: dg.InitResourceContext) -> None:
    """A record that can't be written is a warning: what else can't be written then fails by itself."""
    try:
        last_run.write(warehouse, run)
    except WarehouseError as error:
        if context.log is not None:
            context.log.warning(str(error))
