"""What is sent of a warehouse: its new incidents, and its last run if that failed; and what came of it, in words.

Put here what a look of the command line and one of Dagster's sensors share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.duckdb import last_run
from assets.storage.lease import holder
from dagster_project.cli.questions.answers import describe_run
from dagster_project.cli.terminal import plural, safe
from dagster_project.notifications.channel import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.storage.warehouse import Warehouse
    from dagster_project.notifications.deliveries import Delivery


def failed_last_run(warehouse: Warehouse) -> Failure | None:
    """The last run of a warehouse, if it failed or was killed."""
    run, at_work = last_run.read(warehouse), holder(warehouse)
    if run is None or (run.ended_at is None and at_work is not None):
        return None
    sentence = describe_run(run, at_work)
    when = run.ended_at or run.started_at
    return None if sentence is None else Failure(run.started_at.isoformat(), when.isoformat(), sentence)


def outcome_words(one: Delivery) -> str:
    """What came of a delivery, in one sentence."""
    name = safe(one.notifier.name)
    what = " and ".join(
        [
            *([plural(one.sent, "new incident")] if one.sent else []),
            *([plural(one.failures_sent, "failed run")] if one.failures_sent else []),
        ]
    )
    if one.error is not None:
        return f"{name}: {safe(one.error)}{_waiting(one)}"
    if one.pauses_until is not None:
        return f"{name}: it failed before, and is tried again at {one.pauses_until}{_waiting(one)}"
    if one.is_first_look and not what:
        known = plural(len(one.note.severities), "incident")
        return f"{name}: the first look; {known} that are there count as known, and what is new is sent from now on"
    return f"{name}: {what} sent to {one.notifier.channel.place}" if what else f"{name}: nothing is new"


def errors(deliveries: Iterable[Delivery]) -> list[str]:
    """What went wrong, a sentence for each notifier."""
    return [outcome_words(one) for one in deliveries if one.error is not None]


def _waiting(one: Delivery) -> str:
    left = len(one.incidents) - one.sent
    return f"; {plural(left, 'incident')} wait{'s' if left == 1 else ''} for the next attempt" if left > 0 else ""
