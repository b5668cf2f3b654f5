"""What a webhook is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_project.notifications.webhook import from_section
from tests.dagster_project.notifications.conftest import EVIL, incident, message, section

if TYPE_CHECKING:
    from tests.dagster_project.notifications.receivers import Requests


def test_a_webhook_is_sent_incidents_and_failures_as_json(server: Requests) -> None:
    """Names arrive as they are, for a machine; one of a hostile length is cut."""
    webhook = from_section(section(f'url = "{server.url}/hook?key=1"'))
    webhook.send(message(incident(1), incident(2, group_id="n" * 32_000)))
    (body,) = server.bodies
    assert server.paths == ["/hook?key=1"]
    assert body["subject"] == "Lagbook: 2 new incidents, the worst critical; 1 failed run"
    assert [row["group_id"] for row in body["incidents"]] == [EVIL, "n" * 249 + "..."]
    assert (body["incidents"][0]["certain_offsets"], body["incidents"][0]["possible_offsets"]) == (147, None)
    assert body["failures"][0]["sentence"] == "raw.batches: no space <b>\\x1b[2J"


def test_the_same_message_has_the_same_key(server: Requests) -> None:
    """A receiver can drop a repetition; another message has another key."""
    webhook = from_section(section(f'url = "{server.url}"'))
    for numbers in ([1], [1], [2]):
        webhook.send(message(*map(incident, numbers)))
    first, again, other = (headers["Idempotency-Key"] for headers in server.headers)
    assert first == again != other
