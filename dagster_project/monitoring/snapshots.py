"""The figures of warehouses as they are now: the DuckDB file is read only when it is another one than before.

Put here when something is read. What is counted belongs to `figures`.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING, Final

from assets.duckdb import last_run
from assets.metrics.openmetrics import render
from assets.storage.lease import holder
from dagster_project.cli.questions.answers import describe_run, open_answers, open_file
from dagster_project.cli.questions.marks import dealt_with, read_marks
from dagster_project.monitoring.figures import families, open_incidents, read_figures, run_samples
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from assets.metrics.openmetrics import Sample
    from assets.storage.warehouse import Warehouse
    from dagster_project.monitoring.figures import Figures

REMOTE_LOOKS_S: Final = 60.0
"""How often a warehouse in a store is looked at."""


class Snapshots:
    """The figures of some warehouses, by their names."""

    def __init__(self, warehouses: Mapping[str, Callable[[], Warehouse]], most_groups: int) -> None:
        """Take how each warehouse is opened as it is now."""
        self._snapshots = [_Snapshot(name, opened, most_groups) for name, opened in warehouses.items()]
        self._lock = Lock()

    def text(self) -> str:
        """All figures as one text."""
        with self._lock:
            samples = [sample for one in self._snapshots for sample in one.samples()]
        return render(families(samples, version("lagbook")))

    def health(self) -> tuple[bool, str]:
        """Whether every warehouse can be read, in a sentence."""
        troubles = [f"{one.name}: {one.trouble}" for one in self._snapshots if one.trouble]
        return not troubles, "; ".join(troubles) or "every warehouse that was asked for could be read"


class _Snapshot:
    """The figures of one warehouse, read anew when its file is another."""

    def __init__(self, name: str, opened: Callable[[], Warehouse], most_groups: int) -> None:
        self.name, self.trouble = name, ""
        self._open, self._most_groups = opened, most_groups
        self._figures: Figures | None = None
        self._signature: tuple[float, ...] | None = None

    def samples(self) -> Iterator[tuple[str, Sample]]:
        """All samples; of a warehouse that can't be read what is known of its runs."""
        warehouse, of = self._open(), {"warehouse": self.name}
        self._look(warehouse)
        figures = self._figures
        yield "lagbook_warehouse_readable", (of, int(not self.trouble))
        try:
            run, at_work = last_run.read(warehouse), holder(warehouse)
            is_under_way = run is not None and run.ended_at is None and at_work is not None
            failure = None if run is None or is_under_way else describe_run(run, at_work)
            for name, value in run_samples(run, failure, figures.built_s if figures else None):
                yield name, (of, value)
            if figures is not None:
                closed = dealt_with(read_marks(warehouse), _rows(figures))
                yield from (("lagbook_open_incidents", one) for one in open_incidents(figures, closed))
        except LagbookError as error:
            self.trouble = str(error)
        if figures is not None:
            yield from ((name, sample) for name, samples in figures.samples.items() for sample in samples)

    def _look(self, warehouse: Warehouse) -> None:
        """Read the file if it is another than the last."""
        signature = _signature(warehouse)
        if signature is not None and signature == self._signature and not self.trouble:
            return
        self._figures, self._signature, self.trouble = None, signature, ""
        try:
            with (open_answers if warehouse.is_remote else open_file)(warehouse) as answers:
                self._figures = read_figures(answers, self._most_groups)
        except LagbookError as error:
            self.trouble = str(error)


def _signature(warehouse: Warehouse) -> tuple[float, ...] | None:
    """What differs between two files of a warehouse; of one in a store the minute."""
    try:
        status = warehouse.duckdb_path.stat()
    except OSError:
        return None
    minute = time.monotonic() // REMOTE_LOOKS_S if warehouse.is_remote else 0.0
    return status.st_ino, status.st_size, status.st_mtime_ns, minute


def _rows(figures: Figures) -> list[dict[str, str]]:
    return [{"incident_id": one, "severity": severity} for one, severity in figures.severities.items()]
