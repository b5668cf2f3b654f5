"""What an Alertmanager is sent, and a real one, where there is one, takes."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from dagster_project.notifications.alertmanager import from_section
from tests.broker.cluster import free_ports
from tests.dagster_project.notifications.conftest import incident, message, section

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.dagster_project.notifications.receivers import Requests


def test_each_incident_is_an_alert_that_ends_by_itself(server: Requests) -> None:
    """Labels are the same in a repetition, so that it is the same alert there."""
    channel = from_section(section(f'url = "{server.url}/prefix/"\nhours = 2'))
    channel.send(message(incident(1), incident(2, group_id=None)))
    channel.send(message(incident(1), incident(2, group_id=None)))
    first, again = server.bodies
    assert server.paths == ["/prefix/api/v2/alerts"] * 2
    assert [alert["labels"] for alert in first] == [alert["labels"] for alert in again]
    assert [alert["labels"]["alertname"] for alert in first] == ["LagbookIncident"] * 2 + ["LagbookRunFailed"]
    assert first[0]["labels"]["group"].startswith("evil\\x1b[2J")
    assert "group" not in first[1]["labels"]
    begin, end = (datetime.fromisoformat(first[0][name]) for name in ("startsAt", "endsAt"))
    assert end - begin == timedelta(hours=2)


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real Alertmanager."""
    program = shutil.which("alertmanager") or shutil.which("prometheus-alertmanager")
    if program is None:
        pytest.skip("no Alertmanager on the PATH")
    folder: Path = tmp_path_factory.mktemp("alertmanager")
    (folder / "am.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
    (port,) = free_ports(1)
    options = [f"--config.file={folder}/am.yml", f"--storage.path={folder}", "--cluster.listen-address="]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen([program, *options, f"--web.listen-address=127.0.0.1:{port}"], stderr=log)
        try:
            _wait(f"http://127.0.0.1:{port}/-/ready", running)
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait()


def _wait(url: str, running: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while True:
        assert running.poll() is None, "it has stopped"
        try:
            urlopen(url, timeout=5).close()  # noqa: S310 - loopback
        except (URLError, ConnectionError):
            assert time.monotonic() < until
            time.sleep(0.1)
        else:
            return


def test_a_real_alertmanager_takes_the_alerts_once(alertmanager: str) -> None:
    """Also with hostile names; a repetition is no second alert."""
    channel = from_section(section(f'url = "{alertmanager}"'))
    for _ in range(2):
        channel.send(message(incident(1), incident(2, group_id="n" * 32_000), incident(3, group_id=None)))
    with urlopen(f"{alertmanager}/api/v2/alerts", timeout=5) as answer:  # noqa: S310 - loopback
        alerts: list[dict[str, Any]] = json.load(answer)
    assert sorted(alert["labels"].get("incident_id", "") for alert in alerts) == [
        "",
        "000000000001",
        "000000000002",
        "000000000003",
    ]
