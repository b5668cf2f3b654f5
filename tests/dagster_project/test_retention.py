"""Retention by Dagster: off at first, and then old rows go as `lagbook tidy --keep-days` has them go."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from dagster_project.places import Places
from dagster_project.resources import resources
from dagster_project.retention import Retention, daily_tidy, tidy
from dagster_project.settings import KEEP_DAYS, Settings

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill

TABLE = "raw.quarantine"


def fill_aged(fill: Fill) -> None:
    """A row that is old, and one that is not."""
    same = {"cluster": "c", "path": "p", "size_bytes": 1, "reason": "r", "expected": "e", "found": "f", "bytes": b""}
    times = (datetime(2020, 1, 1, tzinfo=timezone.utc), datetime.now(timezone.utc))
    rows: list[dict[str, Any]] = [{**same, "position": number, "read_at": time} for number, time in enumerate(times)]
    fill(TABLE, rows)


def test_the_schedule_is_off_and_takes_the_days_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any, nothing is retired; the job has the same config in Dagster's launchpad."""
    assert daily_tidy.default_status == dg.DefaultScheduleStatus.STOPPED
    assert daily_tidy.cron_schedule == "0 4 * * *"
    for value, days in (("", []), ("raw=400, raw.batches=30", ["raw=400", "raw.batches=30"])):
        monkeypatch.setenv(KEEP_DAYS, value)
        with dg.build_schedule_context(resources={"places": Places({None: Settings()})}) as context:
            (request,) = daily_tidy.evaluate_tick(context).run_requests or ()
        assert request.run_config["ops"] == {"tidy_warehouse": {"config": {"keep_days": days}}}


def test_old_rows_are_retired(warehouse: Warehouse, fill: Fill) -> None:
    """One of two; the counts are the step's metadata, and without days every row stays."""
    fill_aged(fill)
    assert run(warehouse, [])["rows_retired"] == 0
    assert run(warehouse, ["raw=400"])["rows_retired"] == 1
    assert warehouse.row_count(TABLE) == 1


def test_days_that_are_none_end_the_run_before_anything_is_done(warehouse: Warehouse, fill: Fill) -> None:
    """With the sentence of the command line."""
    fill_aged(fill)
    with pytest.raises(Exception, match="give NAME=DAYS"):
        run(warehouse, ["mart=1"])
    assert warehouse.row_count(TABLE) == 2


def run(warehouse: Warehouse, days: list[str]) -> dict[str, int]:
    """The counts of a run of the job."""
    done = tidy.execute_in_process(
        run_config=dg.RunConfig({"tidy_warehouse": Retention(keep_days=days)}),
        resources={"warehouse": resources(Settings(warehouse=warehouse.url))["warehouse"]},
    )
    counts: dict[str, int] = done.output_for_node("tidy_warehouse")
    return counts
