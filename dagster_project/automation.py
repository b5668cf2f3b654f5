"""When the tables are refreshed and checked: a schedule for files, one for a running cluster, a sensor for segments.

Put here what starts a run. What a run does belongs in `assets`, when one that failed is tried again in
`dagster_project.retrying`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.duckdb import last_run
from assets.ingest.plan import plan
from dagster_project.idle import is_current
from dagster_project.places import CLUSTER_TAG, Place, Places
from dagster_project.refresh import JOB_NAME, REFRESH
from dagster_project.retrying import request
from dagster_project.run_events import CHECK_JOB
from parsers.errors import LagbookError, SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assets.ingest.plan import Plan, Sources
    from assets.storage.warehouse import Warehouse

UNDER_WAY: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
BETWEEN_LOOKS_S: Final = 60

Start = dg.RunRequest | dg.SkipReason
Starts = dg.RunRequest | list[dg.RunRequest] | dg.SkipReason

CHECK_ALL: Final = dg.define_asset_job(
    CHECK_JOB,
    selection=dg.AssetSelection.all_asset_checks(),
    description="Judge every table whole by all of its rules, as `lagbook check --all` does.",
)


@dg.schedule(
    name="hourly",
    job=REFRESH,
    cron_schedule="0 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Refreshes every hour if anything is new, one refresh of a cluster at a time.",
)
def hourly(context: dg.ScheduleEvaluationContext, places: dg.ResourceParam[Places]) -> Starts:
    """Start a refresh of each cluster, one at a time, if it has anything to do."""
    return starts(places.every(), lambda place: _on_schedule(context.instance, place))


@dg.schedule(
    name="every_five_minutes",
    job=REFRESH,
    cron_schedule="*/5 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Reads on from running clusters if anything is new, one refresh of a cluster at a time.",
)
def every_five_minutes(context: dg.ScheduleEvaluationContext, places: dg.ResourceParam[Places]) -> Starts:
    """Start a refresh, one at a time, if there is a cluster to read on from and anything to do."""

    def start(place: Place) -> Start:
        if place.sources.live is None:
            return dg.SkipReason("No running cluster is named: set LAGBOOK_BOOTSTRAP to HOST:PORT.")
        return _on_schedule(context.instance, place)

    return starts(places.every(), start)


@dg.schedule(
    name="weekly",
    job=CHECK_ALL,
    cron_schedule="0 3 * * 0",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Judges every table whole on Sundays; a refresh judges what is new.",
)
def weekly(places: dg.ResourceParam[Places]) -> Starts:
    """Start a full check of each cluster."""
    return each_cluster(places)


@dg.sensor(
    name="new_segments",
    job=REFRESH,
    minimum_interval_seconds=BETWEEN_LOOKS_S,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Looks at names and sizes of the segment files, and refreshes when one is new, grown or rewritten.",
)
def new_segments(context: dg.SensorEvaluationContext, places: dg.ResourceParam[Places]) -> Starts:
    """Request a refresh for new, grown or rewritten segment files of each cluster, or skip with the reason."""

    def start(place: Place) -> Start:
        if busy := _while_under_way(context.instance, place):
            return busy
        if not place.sources.logs:
            return dg.SkipReason(
                "No logs are named: set LAGBOOK_LOGS to the brokers' log directories, separated by commas."
            )
        return _request_for(context.instance, place, plan(place.warehouse, replace(place.sources, live=None)))

    return starts(places.every(), start)


def each_cluster(places: Places, run_config: dg.RunConfig | None = None) -> Starts:
    """A run for each cluster, that is no partition's; one run where none is named."""
    if not places.names:
        return dg.RunRequest(run_config=run_config)
    return [dg.RunRequest(run_config=run_config, tags={CLUSTER_TAG: name}) for name in places.names]


def starts(every: Sequence[Place], start: Callable[[Place], Start]) -> Starts:
    """What is started of all places: one that can't be looked at holds up no other, and is an error if none starts."""
    if len(every) == 1 and every[0].name is None:
        return start(every[0])
    answers = [(place.name, _answer(place, start)) for place in every]
    if requests := [answer for _, answer in answers if isinstance(answer, dg.RunRequest)]:
        return requests
    reasons = "; ".join(f"{name}: {getattr(answer, 'skip_message', answer)}" for name, answer in answers)
    if any(isinstance(answer, LagbookError) for _, answer in answers):
        raise SourceError(reasons)
    return dg.SkipReason(reasons)


def _answer(place: Place, start: Callable[[Place], Start]) -> Start | LagbookError:
    try:
        return start(place)
    except LagbookError as error:
        return error


def _on_schedule(instance: dg.DagsterInstance, place: Place) -> Start:
    """Start a refresh if it has anything to do and no other is under way."""
    return (
        _while_under_way(instance, place)
        or _while_nothing_is_new(place.warehouse, place.sources)
        or dg.RunRequest(partition_key=place.name)
    )


def _while_under_way(instance: dg.DagsterInstance, place: Place) -> dg.SkipReason | None:
    """Skip while a run of the cluster is under way: two at once would archive the same records twice."""
    runs = instance.get_runs(filters=dg.RunsFilter(job_name=JOB_NAME, tags=place.tags, statuses=UNDER_WAY), limit=1)
    return dg.SkipReason(f"Run {runs[0].run_id} is still at work.") if runs else None


def _while_nothing_is_new(warehouse: Warehouse, sources: Sources) -> dg.SkipReason | None:
    """Skip when a run would change nothing, and put that on record: a run leaves hundreds of events with Dagster.

    A place that can't be looked at is the run's to fail over.
    """
    started_at = last_run.now()
    try:
        work = plan(warehouse, sources)
    except SourceError:
        return None
    if work.unreadable or not work.is_empty or not is_current(warehouse):
        return None
    last_run.write_nothing_new(warehouse, started_at, None)
    return _nothing_new(work)


def _nothing_new(work: Plan) -> dg.SkipReason:
    known = "1 file is" if work.files_known == 1 else f"{work.files_known} files are"
    return dg.SkipReason(f"Nothing is new: {known} known.")


def _request_for(instance: dg.DagsterInstance, place: Place, work: Plan) -> Start:
    """Request a run for this work; unreadable places are an error only where there is nothing to read."""
    if not work.is_empty:
        return request(instance, JOB_NAME, work.fingerprint, place.name)
    if work.unreadable:
        raise SourceError("; ".join(work.unreadable))
    return _nothing_new(work)


HOURLY: Final = hourly
EVERY_FIVE_MINUTES: Final = every_five_minutes
WEEKLY: Final = weekly
NEW_SEGMENTS: Final = new_segments
