"""When the tables are refreshed: one job, a schedule for files, one for a running cluster, a sensor for segments.

Put here what starts a run. What a run does belongs in `assets`, when one that failed is tried again in
`dagster_project.retrying`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from dagster_project.retrying import request
from parsers.errors import SourceError

if TYPE_CHECKING:
    from assets.ingest.plan import Plan

JOB_NAME: Final = "refresh"
UNDER_WAY: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
BETWEEN_LOOKS_S: Final = 60

Start = dg.RunRequest | dg.SkipReason

REFRESH: Final = dg.define_asset_job(
    JOB_NAME,
    selection=dg.AssetSelection.all(),
    description="Read what is new and rebuild every table that it changes, with all checks.",
)


@dg.schedule(
    name="hourly",
    job=REFRESH,
    cron_schedule="0 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Refreshes every hour, unless a refresh is under way.",
)
def hourly(context: dg.ScheduleEvaluationContext) -> Start:
    """Start a refresh, one at a time."""
    return _while_under_way(context.instance) or dg.RunRequest()


@dg.schedule(
    name="every_five_minutes",
    job=REFRESH,
    cron_schedule="*/5 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Reads on from the running cluster of LAGBOOK_BOOTSTRAP, unless a refresh is under way.",
)
def every_five_minutes(context: dg.ScheduleEvaluationContext, sources: dg.ResourceParam[Sources]) -> Start:
    """Start a refresh, one at a time, if there is a cluster to read on from."""
    if sources.live is None:
        return dg.SkipReason("No running cluster is named: set LAGBOOK_BOOTSTRAP to HOST:PORT.")
    return _while_under_way(context.instance) or dg.RunRequest()


@dg.sensor(
    name="new_segments",
    job=REFRESH,
    minimum_interval_seconds=BETWEEN_LOOKS_S,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Looks at names and sizes of the segment files, and refreshes when one is new, grown or rewritten.",
)
def new_segments(
    context: dg.SensorEvaluationContext, warehouse: dg.ResourceParam[Warehouse], sources: dg.ResourceParam[Sources]
) -> Start:
    """Request a refresh for new, grown or rewritten segment files, or skip with the reason."""
    busy = _while_under_way(context.instance)
    if busy:
        return busy
    if not sources.logs:
        return dg.SkipReason(
            "No logs are named: set LAGBOOK_LOGS to the brokers' log directories, separated by commas."
        )
    return _request_for(context.instance, plan(warehouse, replace(sources, live=None)))


def _while_under_way(instance: dg.DagsterInstance) -> dg.SkipReason | None:
    """Skip while a run is under way: two runs at once would archive the same records twice."""
    runs = instance.get_runs(filters=dg.RunsFilter(job_name=JOB_NAME, statuses=UNDER_WAY), limit=1)
    return dg.SkipReason(f"Run {runs[0].run_id} is still at work.") if runs else None


def _request_for(instance: dg.DagsterInstance, work: Plan) -> Start:
    """Request a run for this work; unreadable places are an error only where there is nothing to read."""
    if not work.is_empty:
        return request(instance, JOB_NAME, work.fingerprint)
    if work.unreadable:
        raise SourceError("; ".join(work.unreadable))
    known = "1 file is" if work.files_known == 1 else f"{work.files_known} files are"
    return dg.SkipReason(f"Nothing is new: {known} known.")


HOURLY: Final = hourly
EVERY_FIVE_MINUTES: Final = every_five_minutes
NEW_SEGMENTS: Final = new_segments
