"""Which incidents a notifier is sent: those that are new to it, grave enough, and not dealt with.

Put here how novelty follows from what the warehouse shows and what the notifier was sent. How it is sent belongs to
`deliveries`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.questions.marks import dealt_with, read_marks
from dagster_project.notifications.wording import COLUMNS
from dagster_project.severities import grade

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assets.storage.warehouse import Warehouse
    from dagster_project.notifications.channel import Row
    from dagster_project.notifications.delivery_note import DeliveryNote

_ALL: Final = "SELECT cluster, incident_id, severity FROM mart.incidents ORDER BY rank"
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM mart.basis"
_ROWS: Final = f"SELECT {COLUMNS} FROM mart.incidents WHERE list_contains($ids, incident_id)"  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The incidents of a warehouse as its DuckDB file shows them: whole runs alone change that."""

    severities: Mapping[str, str]
    """By incident, the worst first."""
    cluster_of: Mapping[str, str]
    clusters: frozenset[str]
    dealt_with: frozenset[str]


def read_snapshot(warehouse: Warehouse) -> Snapshot:
    """The incidents that there are now."""
    with open_answers(warehouse) as answers:
        rows = list(answers.rows(_ALL))
        return Snapshot(
            {row["incident_id"]: row["severity"] for row in rows},
            {row["incident_id"]: row["cluster"] for row in rows},
            frozenset(row["cluster"] for row in (*rows, *answers.rows(_CLUSTERS))),
            dealt_with(read_marks(warehouse), rows),
        )


def read_incidents(warehouse: Warehouse, incident_ids: Collection[str]) -> dict[str, Row]:
    """What messages say of these incidents."""
    with open_answers(warehouse) as answers:
        return {row["incident_id"]: row for row in answers.rows(_ROWS, {"ids": sorted(incident_ids)})}


def new_incidents(snapshot: Snapshot, note: DeliveryNote, severity: str) -> list[str]:
    """The ids of those to send, the worst first.

    What was there when a cluster was first looked at is known. An incident that has become graver is new, unless it
    was sent before.
    """
    return [
        one
        for one, now in snapshot.severities.items()
        if snapshot.cluster_of[one] in note.clusters
        and grade(now) >= grade(severity)
        and one not in note.sent
        and one not in snapshot.dealt_with
        and (one not in note.severities or grade(now) > grade(note.severities[one]))
    ]


def after_look(snapshot: Snapshot, note: DeliveryNote, unsent: Collection[str]) -> DeliveryNote:
    """The note of a notifier that has looked, and that these are still to be sent to."""
    left = frozenset(unsent)
    severities = {one: now for one, now in snapshot.severities.items() if one not in left and one not in note.sent}
    return replace(note, clusters=note.clusters | snapshot.clusters, severities={**note.severities, **severities})


def after_delivery(note: DeliveryNote, incident_ids: Collection[str]) -> DeliveryNote:
    """The note of a notifier that was sent these and its failed runs."""
    failures = (*note.sent_failures, *(one.failure_id for one in note.waiting))
    sent = note.sent | frozenset(incident_ids)
    return replace(
        note,
        severities={one: severity for one, severity in note.severities.items() if one not in sent},
        sent=sent,
        in_doubt=frozenset(),
        waiting=(),
        sent_failures=failures[-_MOST_FAILURES:],
        failed_attempts=0,
        next_attempt_at=None,
    )


_MOST_FAILURES: Final = 200
"""Failed runs that are remembered as sent."""
