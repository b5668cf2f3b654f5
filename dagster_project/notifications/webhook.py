"""Notifies by webhook: a POST of JSON, whose fields docs/how-to/alerts.md lists.

Put here what is sent. How it is posted belongs to `posting`, what it says to `wording`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_project.notifications.posting import HttpChannel, address_from
from dagster_project.notifications.wording import message_json

if TYPE_CHECKING:
    from dagster_project.deployment.sections import Section
    from dagster_project.notifications.channel import Message


@dataclass(frozen=True, slots=True)
class Webhook(HttpChannel):
    """An address that takes JSON."""

    def send(self, message: Message) -> None:
        """Post the message; one that is sent again has the same key."""
        body = message_json(message)
        of = {name: body[name] for name in ("warehouse", "incidents", "failures")}
        key = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
        self.address.post(body, headers={"Idempotency-Key": key})


def from_section(section: Section) -> Webhook:
    """The webhook that a table of lagbook.toml names."""
    return Webhook(address_from(section))
