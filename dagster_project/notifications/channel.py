"""What a notifier is, what it is handed, and how it fails.

Put here what all ways of sending share. Each way has a module of its own beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dagster_project.cli.terminal import plural
from parsers.errors import LagbookError

Row = Mapping[str, Any]


class DeliveryError(LagbookError):
    """A message that could not be handed over; the sentence names no secret."""

    def __init__(self, sentence: str, *, may_pass: bool = True, is_in_doubt: bool = False) -> None:
        """Take the sentence, whether the message may be taken a little later, and whether it may have arrived."""
        super().__init__(sentence)
        self.may_pass, self.is_in_doubt = may_pass, is_in_doubt


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that failed."""

    failure_id: str
    failed_at: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Message:
    """What one delivery is about: new incidents, the worst first, or runs that failed."""

    warehouse: str
    incidents: tuple[Row, ...] = ()
    failures: tuple[Failure, ...] = ()
    may_repeat: bool = False
    """Whether an attempt to send this ended without an answer, so that it may have arrived already."""
    is_test: bool = False

    @property
    def subject(self) -> str:
        """All of it in one line."""
        parts = []
        if self.is_test:
            parts.append("a test message")
        if self.incidents:
            worst = self.incidents[0]["severity"]
            parts.append(f"{plural(len(self.incidents), 'new incident')}, the worst {worst}")
        if self.failures:
            parts.append(plural(len(self.failures), "failed run"))
        repeated = " (may be a repetition)" if self.may_repeat else ""
        return f"Lagbook: {'; '.join(parts)}{repeated}"


class Channel(Protocol):
    """A way to send."""

    @property
    def place(self) -> str:
        """Where it leads, without a secret: for sentences."""

    @property
    def most(self) -> int:
        """How many incidents one message may be about."""

    def send(self, message: Message) -> None:
        """Hand a message over, or raise a `DeliveryError`."""


@dataclass(frozen=True, slots=True)
class Notifier:
    """A name, the severity from which on it is notified, and the way to it."""

    name: str
    severity: str
    kind: str
    channel: Channel
