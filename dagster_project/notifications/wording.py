"""Incidents and failures as texts and as JSON, whatever strangers call their groups.

Put here what a message says of one incident. How it looks in one way of sending belongs to that way.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief, markdown, pasteable
from dagster_project.cli.times import show_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dagster_project.notifications.channel import Failure, Message, Row

LONGEST_TITLE: Final = 400
LONGEST_NAME: Final = 249
"""As many characters as a topic may have; a group may have a hundred times as many."""
LONGEST_SENTENCE: Final = 1_000
_MOST_NAMES: Final = 20
_OF_INCIDENT: Final = (
    "incident_id",
    "cluster",
    "severity",
    "kind",
    "pattern",
    "title",
    "group_id",
    "topics",
    "partitions",
    "from_time",
    "detected_at",
    "to_time",
    "certain_offsets",
    "estimate_offsets",
    "possible_offsets",
    "causes",
    "certainty",
)
"""The columns of mart.incidents that a message has."""

COLUMNS: Final = ", ".join(_OF_INCIDENT)


def title(row: Row) -> str:
    """What happened, in a line that no terminal acts on."""
    return brief(str(row["title"]), LONGEST_TITLE)


def lines(message: Message) -> list[str]:
    """A line for each incident and failure, for people."""
    if message.is_test:
        return [f"This is a test. Messages about {message.warehouse} arrive here."]
    return [
        *(f"{row['severity']} {row['incident_id']} {title(row)}" for row in message.incidents),
        *(_failure(one) for one in message.failures),
    ]


def next_step(message: Message) -> str:
    """The command to type next."""
    place = f" --warehouse {pasteable(message.warehouse)}"
    if message.incidents:
        return f"Next: lagbook report --incident {message.incidents[0]['incident_id']}{place}"
    return f"Next: lagbook doctor{place}"


def markdown_list(rows: Iterable[Row]) -> str:
    """Incidents as a list in Markdown, in which no name is markup."""
    return "\n".join(f"- **{row['severity']}** `{row['incident_id']}` {markdown(title(row))}" for row in rows)


def as_json(row: Row) -> dict[str, Any]:
    """An incident as plain values; names that are longer than a topic's may be are cut."""
    return {name: _plain(row[name]) for name in _OF_INCIDENT}


def failure_json(one: Failure) -> dict[str, str]:
    """A failed run as plain values."""
    return {
        "failure_id": one.failure_id,
        "failed_at": one.failed_at,
        "sentence": brief(one.sentence, LONGEST_SENTENCE),
    }


def message_json(message: Message) -> Mapping[str, Any]:
    """A whole message as plain values."""
    return {
        "version": 1,
        "subject": message.subject,
        "warehouse": message.warehouse,
        "incidents": [as_json(row) for row in message.incidents],
        "failures": [failure_json(one) for one in message.failures],
        "may_repeat": message.may_repeat,
        "is_test": message.is_test,
    }


def _failure(one: Failure) -> str:
    return f"run failed at {one.failed_at}: {brief(one.sentence, LONGEST_SENTENCE)}"


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return show_time(value)
    if isinstance(value, list):
        return [_plain(one) for one in value[:_MOST_NAMES]]
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TITLE else f"{value[:LONGEST_NAME]}..."
    return value
