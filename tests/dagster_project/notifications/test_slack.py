"""How a message looks in Slack and its like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_project.notifications.slack import from_section
from tests.dagster_project.notifications.conftest import message, section

if TYPE_CHECKING:
    from tests.dagster_project.notifications.receivers import Requests


def test_no_name_acts_on_a_channel(server: Requests) -> None:
    """Whatever a stranger calls a group stands between backticks, escaped: it calls nobody and links nowhere."""
    from_section(section(f'url = "{server.url}"')).send(message())
    (body,) = server.bodies
    subject, findings, failed, following = body["text"].split("\n")
    assert subject == "Lagbook: 1 new incident, the worst critical; 1 failed run"
    for line in (findings, failed, following):
        assert (line[0], line[-1], line.count("`"), "<" in line) == ("`", "`", 2, False)
    assert findings.startswith(
        "`critical 000000000001 2026-11-18 12:32:46 UTC: group evil\\x1b[2J&lt;!channel&gt; @all 'x'"
    )
    assert following == "`Next: lagbook report --incident 000000000001 --warehouse wh`"
