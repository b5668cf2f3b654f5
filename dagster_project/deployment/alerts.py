"""`[alerts]` of lagbook.toml: from which severity on an incident counts, who is notified of it, and what is too old.

Put here what stands in that table. How a notification is sent belongs to `dagster_project.notifications`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dagster_project.deployment.file import lagbook_file
from dagster_project.notifications import alertmanager, mail, slack, webhook
from dagster_project.notifications.channel import Notifier
from dagster_project.severities import DEFAULT_SEVERITY, SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dagster_project.deployment.sections import Section
    from dagster_project.notifications.channel import Channel

CHANNELS: Final[Mapping[str, Callable[[Section], Channel]]] = {
    "webhook": webhook.from_section,
    "alertmanager": alertmanager.from_section,
    "slack": slack.from_section,
    "email": mail.from_section,
}
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
"""A notifier's name is part of a file's: what it was sent is remembered under it."""

STALE_HOURS: Final = 24.0


@dataclass(frozen=True, slots=True)
class Alerts:
    """The severity from which on an incident counts, the notifiers, and the age at which what was read is stale."""

    severity: str = DEFAULT_SEVERITY
    notifiers: tuple[Notifier, ...] = ()
    stale_hours: float = STALE_HOURS


def declared_alerts() -> Alerts:
    """The alerts of the file that the environment names, or of lagbook.toml in the current folder."""
    top = lagbook_file()
    section = top.section("alerts") if top else None
    return Alerts() if section is None else alerts_from(section)


def alerts_from(section: Section) -> Alerts:
    """The table `[alerts]`."""
    severity = section.choice("severity", SEVERITIES, DEFAULT_SEVERITY)
    notifiers = tuple(_notifier(one, severity) for one in section.sections("notify"))
    names = [one.name for one in notifiers]
    for name in names:
        if names.count(name) > 1:
            raise section.refusal("notify", f"expected each name once, found {name!r} {names.count(name)} times")
    stale_hours = section.number("stale_hours", STALE_HOURS)
    section.end()
    return Alerts(severity, notifiers, stale_hours)


def _notifier(section: Section, severity: str) -> Notifier:
    name = section.needed("name")
    if not NAME.fullmatch(name):
        raise section.refusal("name", "expected letters, digits, - and _, at most 63, found something else")
    kind = section.choice("kind", tuple(CHANNELS), "")
    channel = CHANNELS[section.present("kind", kind or None)](section)
    notifier = Notifier(name, section.choice("severity", SEVERITIES, severity), kind, channel)
    section.end()
    return notifier
