"""Writes the record of a warehouse's last run: its start, and its failures when it ends.

Put here when a record is written, for runs of the command line and of Dagster alike. What stands in one is said in
`assets.duckdb.last_run`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from assets.duckdb import last_run
from assets.duckdb.last_run import LastRun, now
from assets.storage.lease import writer_lease
from dagster_project.file_modes import restricted
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assets.storage.warehouse import Warehouse

INTERRUPTED: Final = "it was interrupted"


@contextmanager
def run_record(
    warehouse: Warehouse, wait_s: float, failure: Callable[[], str | None], warn: Callable[[str], None]
) -> Iterator[None]:
    """Have the lease while a run lasts, and record how it began and ended; `failure` is asked at the end."""
    with restricted(), writer_lease(warehouse, wait_s):
        run = LastRun(now())
        _write(warehouse, run, warn)
        reason: str | None = INTERRUPTED
        try:
            yield
            reason = failure()
        finally:
            _write(warehouse, LastRun(run.started_at, now(), reason), warn)


def _write(warehouse: Warehouse, run: LastRun, warn: Callable[[str], None]) -> None:
    """A record that can't be written is a warning: what else can't be written then fails by itself."""
    try:
        last_run.write(warehouse, run)
    except WarehouseError as error:
        warn(str(error))
