"""Messages, sections of lagbook.toml and servers for the tests of notifications."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tomli

from dagster_project.deployment.sections import Section
from dagster_project.notifications.channel import Failure, Message
from tests.dagster_project.notifications.receivers import http_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.dagster_project.notifications.receivers import Requests

EVIL = "evil\x1b[2J<!channel> @all `x` [l](http://h)\u202e|"


def section(text: str, folder: Path = Path("/nowhere")) -> Section:
    """A table of lagbook.toml."""
    return Section(folder / "lagbook.toml", "alerts.notify[1]", tomli.loads(text))


def incident(number: int = 1, **columns: object) -> dict[str, Any]:
    """A row of mart.incidents, as messages have it, of a group with a hostile name."""
    return {
        "incident_id": f"{number:012x}",
        "cluster": "c1",
        "severity": "critical",
        "kind": "skip",
        "pattern": None,
        "title": f"2026-11-18 12:32:46 UTC: group {EVIL} never read 147 offsets; proven",
        "group_id": EVIL,
        "topics": ["audit"],
        "partitions": 3,
        "from_time": None,
        "detected_at": None,
        "to_time": None,
        "certain_offsets": 147,
        "estimate_offsets": 147,
        "possible_offsets": None,
        "causes": ["admin_reset"],
        "certainty": "proven",
        **columns,
    }


def message(*incidents: dict[str, Any]) -> Message:
    """A message about these incidents and a failed run."""
    failure = Failure("2026-11-18T12:00:00+00:00", "2026-11-18T12:01:00+00:00", "raw.batches: no space <b>\x1b[2J")
    return Message("wh", incidents or (incident(),), (failure,))


@pytest.fixture
def server() -> Iterator[Requests]:
    """An HTTP server."""
    with http_server() as requests:
        yield requests
