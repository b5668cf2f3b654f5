"""Notifies Prometheus' Alertmanager by its API v2: an alert per incident, which ends by itself after some hours.

Put here labels and annotations. How it is posted belongs to `posting`, what it says to `wording`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief
from dagster_project.notifications.posting import HttpChannel, address_from
from dagster_project.notifications.wording import LONGEST_NAME, LONGEST_SENTENCE, title

if TYPE_CHECKING:
    from dagster_project.deployment.sections import Section
    from dagster_project.notifications.channel import Failure, Message, Row

PATH: Final = "/api/v2/alerts"
HOURS: Final = 24.0
"""How long an alert fires by default. It is sent once, and Alertmanager would end it after five minutes."""


@dataclass(frozen=True, slots=True)
class Alertmanager(HttpChannel):
    """The root URL of an Alertmanager, and how long an alert fires."""

    hours: float = HOURS

    def send(self, message: Message) -> None:
        """Post the alerts; the same labels are the same alert there, so that none is doubled."""
        now = datetime.now(timezone.utc)
        times = {"startsAt": now.isoformat(), "endsAt": (now + timedelta(hours=self.hours)).isoformat()}
        alerts = [
            *(_of_incident(row, message.warehouse) for row in message.incidents),
            *(_of_failure(one, message.warehouse) for one in message.failures),
            *([_of_test(message.warehouse)] if message.is_test else []),
        ]
        self.address.post([{**times, **alert} for alert in alerts], PATH)


def from_section(section: Section) -> Alertmanager:
    """The Alertmanager that a table of lagbook.toml names."""
    return Alertmanager(address_from(section), section.number("hours", HOURS))


def _of_incident(row: Row, warehouse: str) -> dict[str, Any]:
    labels = {
        "alertname": "LagbookIncident",
        "severity": row["severity"],
        "cluster": _label(row["cluster"]),
        "kind": row["kind"],
        "group": _label(row["group_id"]),
        "incident_id": row["incident_id"],
    }
    annotations = {"summary": title(row), "warehouse": warehouse}
    return {"labels": {name: value for name, value in labels.items() if value}, "annotations": annotations}


def _of_failure(one: Failure, warehouse: str) -> dict[str, Any]:
    labels = {"alertname": "LagbookRunFailed", "severity": "high", "failure_id": one.failure_id}
    return {
        "labels": labels,
        "annotations": {"summary": brief(one.sentence, LONGEST_SENTENCE), "warehouse": warehouse},
    }


def _of_test(warehouse: str) -> dict[str, Any]:
    return {"labels": {"alertname": "LagbookTest"}, "annotations": {"summary": "A test.", "warehouse": warehouse}}


def _label(name: str | None) -> str:
    return "" if name is None else brief(name, LONGEST_NAME)
