"""The job that retires old rows and merges small files, and its schedule, which is off at first.

Put here when a warehouse is tidied by Dagster. What is retired or merged is decided in `assets.maintenance`.
"""

from datetime import datetime, timedelta, timezone
from typing import Final

import dagster as dg

from assets.maintenance import compact_files, retirement
from assets.storage.warehouse import Warehouse
from dagster_project.automation import Starts, each_cluster
from dagster_project.cli.operations.tidy import typed_days
from dagster_project.places import Places
from dagster_project.settings import days_to_keep

LEFTOVERS_AFTER: Final = timedelta(days=1)
"""Files that left their table stay so long: who opened lagbook.duckdb before may still read them."""


class Retention(dg.Config):
    """How many days rows of raw tables are kept, as `lagbook tidy --keep-days` takes it; empty: for ever."""

    keep_days: list[str]


@dg.op(description="Merges small files, deletes what belongs to no table, and retires old rows of the raw tables.")
def tidy_warehouse(
    context: dg.OpExecutionContext, config: Retention, warehouse: dg.ResourceParam[Warehouse]
) -> dict[str, int]:
    """Do what `lagbook tidy --yes` does; the counts of it."""
    days = typed_days(config.keep_days)
    work = compact_files.look(warehouse, datetime.now(timezone.utc) - LEFTOVERS_AFTER)
    compact_files.tidy(warehouse, work)
    old = retirement.look_for_old(warehouse, days) if days else []
    retirement.retire(warehouse, old)
    counts = {
        "files_merged": sum(len(merge.files) for merge in work.merges),
        "files_deleted": len(work.leftovers),
        "rows_retired": sum(one.rows for one in old),
    }
    context.add_output_metadata(counts)
    return counts


@dg.job(name="tidy", description="Keeps the warehouse small, as `lagbook tidy --yes` does.")
def tidy() -> None:
    """Tidy the warehouse; the run waits for others that write to it."""
    tidy_warehouse()


@dg.schedule(
    name="daily_tidy",
    job=tidy,
    cron_schedule="0 4 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Tidies every day at 04:00 UTC, and retires rows older than LAGBOOK_KEEP_DAYS says, as raw=400.",
)
def daily_tidy(places: dg.ResourceParam[Places]) -> Starts:
    """Tidy each warehouse with the days that are set; the next refresh makes of raw what is left."""
    config = dg.RunConfig({"tidy_warehouse": Retention(keep_days=list(days_to_keep()))})
    return each_cluster(places, config)
