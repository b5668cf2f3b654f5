"""Sensors that notify people: of each new incident, and of runs of this code location that fail.

Put here when Dagster looks and what its ticks say. Who is notified and how belongs to `dagster_project.notifications`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final, TypeAlias

import dagster as dg

from dagster_project.automation import starts
from dagster_project.cli.exits import CallRefusedError
from dagster_project.deployment.alerts import Alerts
from dagster_project.notifications.channel import DeliveryError, Failure, Notifier
from dagster_project.notifications.deliveries import deliver, send_without_note
from dagster_project.notifications.novelty import read_snapshot
from dagster_project.notifications.reports import errors, failed_last_run, outcome_words
from dagster_project.places import Places
from dagster_project.refresh import JOB_NAME
from dagster_project.run_events import failure_of
from parsers.errors import BusyError, SourceError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.notifications.deliveries import Delivery

ReadAlerts: TypeAlias = Callable[[], Alerts]
BETWEEN_LOOKS_S: Final = 60
WITHOUT_NOTIFIERS: Final = "No notifier is named: lagbook.toml has no [[alerts.notify]]."


@dg.sensor(
    name="new_incidents",
    minimum_interval_seconds=BETWEEN_LOOKS_S,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Notifies of each new incident once, by the notifiers of lagbook.toml.",
)
def new_incidents(places: dg.ResourceParam[Places], read_alerts: dg.ResourceParam[ReadAlerts]) -> dg.SkipReason:
    """Send what is new of each cluster; the tick says to whom, and fails when a notifier does."""
    notifiers = _notifiers(read_alerts)
    if isinstance(notifiers, dg.SkipReason):
        return notifiers
    answer = starts(places.every(), lambda place: _sent(place.warehouse, notifiers))
    assert isinstance(answer, dg.SkipReason)  # noqa: S101 - a notification starts nothing
    return answer


def _notifiers(read_alerts: ReadAlerts) -> Sequence[Notifier] | dg.SkipReason:
    """The notifiers that lagbook.toml names now, or the sentence why there are none."""
    try:
        return read_alerts().notifiers or dg.SkipReason(WITHOUT_NOTIFIERS)
    except SourceError as error:
        return dg.SkipReason(f"Nobody is notified until this is mended: {error}")


def _sent(warehouse: Warehouse, notifiers: Sequence[Notifier]) -> dg.SkipReason:
    try:
        return _reason(deliver(warehouse, notifiers, read_snapshot(warehouse), is_patient=True))
    except (CallRefusedError, BusyError) as error:
        return dg.SkipReason(str(error))


@dg.run_failure_sensor(
    name="failed_runs",
    minimum_interval_seconds=BETWEEN_LOOKS_S,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Notifies of runs that failed, by the notifiers of lagbook.toml.",
)
def failed_runs(
    context: dg.RunFailureSensorContext, places: dg.ResourceParam[Places], read_alerts: dg.ResourceParam[ReadAlerts]
) -> dg.SkipReason:
    """Send the failure to all notifiers; where one is down, it waits for the next look of `new_incidents`."""
    notifiers = _notifiers(read_alerts)
    if isinstance(notifiers, dg.SkipReason):
        return notifiers
    warehouse = _warehouse_of(context, places)
    failure = _failure(context, warehouse)
    try:
        return _reason(deliver(warehouse, notifiers, None, failure))
    except (WarehouseError, BusyError):
        return _reason(send_without_note(warehouse, notifiers, failure))


def _warehouse_of(context: dg.RunFailureSensorContext, places: Places) -> Warehouse:
    """The warehouse of a run; the first, if the run failed for it named no cluster."""
    try:
        return places.settings_of(context.dagster_run.tags).open_warehouse()
    except SourceError:
        return places.every()[0].warehouse


def _failure(context: dg.RunFailureSensorContext, warehouse: Warehouse) -> Failure:
    """The failed run. One of the warehouse has the name by which `lagbook notify` knows it."""
    run = context.dagster_run
    try:
        last = failed_last_run(warehouse) if run.job_name == JOB_NAME else None
    except WarehouseError:
        last = None
    sentence = failure_of(context.instance, run.run_id) or context.failure_event.message or "it failed"
    failure_id = run.run_id if last is None else last.failure_id
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return Failure(failure_id, now, f"{run.job_name}, run {run.run_id}: {sentence}")


def _reason(deliveries: Sequence[Delivery]) -> dg.SkipReason:
    """What was sent, or an error that names each notifier that failed."""
    if failed := errors(deliveries):
        raise DeliveryError("; ".join(failed))
    return dg.SkipReason("; ".join(map(outcome_words, deliveries)))


NEW_INCIDENTS: Final = new_incidents
FAILED_RUNS: Final = failed_runs
