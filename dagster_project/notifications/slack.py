"""Notifies by an incoming webhook of Slack, or of what understands the same (Mattermost, Rocket.Chat).

Put here how a message looks there. How it is posted belongs to `posting`, what it says to `wording`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagster_project.notifications.posting import HttpChannel, address_from
from dagster_project.notifications.wording import lines, next_step

if TYPE_CHECKING:
    from dagster_project.deployment.sections import Section
    from dagster_project.notifications.channel import Message


@dataclass(frozen=True, slots=True)
class Slack(HttpChannel):
    """An incoming webhook, whose URL is a secret as a whole."""

    most: ClassVar[int] = 20
    """So many lines stay below the length at which Mattermost refuses a message."""

    def send(self, message: Message) -> None:
        """Post the message as text."""
        texts = [message.subject, *map(code, lines(message)), code(next_step(message))]
        self.address.post({"text": "\n".join(texts)})


def code(text: str) -> str:
    """A text between backticks, where no name calls a channel together, becomes a link or changes the type."""
    plain = text.replace("`", "'").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"`{plain}`"


def from_section(section: Section) -> Slack:
    """The incoming webhook that a table of lagbook.toml names."""
    return Slack(address_from(section))
