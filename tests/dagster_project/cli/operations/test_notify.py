"""`lagbook notify`: each notifier is sent each incident once, whatever happens in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from assets.duckdb import last_run
from assets.duckdb.last_run import LastRun
from assets.storage.warehouse import Warehouse
from dagster_project.notifications import deliveries
from tests.dagster_project.cli.conftest import HOSTILE, change
from tests.dagster_project.notifications.receivers import http_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook
    from tests.dagster_project.notifications.receivers import Requests

DOWN = "http://127.0.0.1:1/hush"
NEW = "INSERT INTO mart.incidents BY NAME SELECT * REPLACE ($one AS incident_id) FROM mart.incidents LIMIT 1"


@pytest.fixture
def server() -> Iterator[Requests]:
    """A webhook."""
    with http_server() as requests:
        yield requests


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "WAITS_S", (0.0, 0.0))


def declare(monkeypatch: pytest.MonkeyPatch, folder: Path, **urls: str) -> None:
    """A lagbook.toml with a webhook of each name."""
    tables = [f'[[alerts.notify]]\nname = "{name}"\nkind = "webhook"\nurl = "{url}"\n' for name, url in urls.items()]
    (folder / "lagbook.toml").write_text('[alerts]\nseverity = "low"\n' + "".join(tables))
    monkeypatch.setenv("LAGBOOK_FILE", str(folder / "lagbook.toml"))


def sent(server: Requests) -> list[list[str]]:
    """The ids that each message was about."""
    return [[row["incident_id"] for row in body["incidents"]] for body in server.bodies]


def note_of(warehouse: Path, name: str) -> dict[str, Any]:
    """What is kept of a notifier."""
    fields: dict[str, Any] = json.loads((warehouse / "_notified" / f"{name}.json").read_text())
    return fields


@pytest.fixture
def looked(lagbook: Lagbook, warehouse: Path, server: Requests, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The warehouse after the first look of the notifier `hook`."""
    declare(monkeypatch, warehouse, hook=server.url)
    result = lagbook("notify", "--warehouse", str(warehouse))
    assert (result.exit_code, "hook: the first look; " in result.stdout) == (0, True), result.output
    assert server.bodies == []
    return warehouse


def test_a_new_incident_is_sent_once(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """--dry-run shows it and changes nothing; the next looks send nothing."""
    where = ("--warehouse", str(looked))
    change(looked, NEW, one="feedfeedfeed")
    for _ in range(2):
        dry = lagbook("notify", "--dry-run", *where)
        assert (dry.exit_code, " feedfeedfeed " in dry.stdout, server.bodies) == (0, True, [])
    result = lagbook("notify", *where)
    assert result.stdout == f"hook: 1 new incident sent to 127.0.0.1:{server.port}\n"
    assert lagbook("notify", *where).stdout == "hook: nothing is new\n"
    (row,) = json.loads(lagbook("notify", "--json", *where).stdout)
    assert (row["new_incidents"], row["incidents_sent"], row["error"]) == ([], 0, None)
    assert sent(server) == [["feedfeedfeed"]]


def test_a_notifier_that_is_down_loses_nothing_and_holds_up_no_other(
    lagbook: Lagbook, looked: Path, server: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is sent the same when it is back; its address is a secret."""
    where = ("--warehouse", str(looked))
    declare(monkeypatch, looked, down=DOWN, hook=server.url)
    assert lagbook("notify", *where).exit_code == 0
    change(looked, NEW, one="feedfeedfeed")
    result = lagbook("notify", *where)
    assert (result.exit_code, sent(server)) == (1, [["feedfeedfeed"]])
    assert "down: 127.0.0.1:1 can't be reached: Connection refused; 1 incident waits" in result.stderr
    assert "hush" not in result.output + json.dumps(note_of(looked, "down"))
    change(looked, NEW, one="beefbeefbeef")
    lagbook("notify", *where)
    with http_server() as back:
        declare(monkeypatch, looked, down=back.url, hook=server.url)
        assert lagbook("notify", *where).exit_code == 0
        assert sorted(chain.from_iterable(sent(back))) == ["beefbeefbeef", "feedfeedfeed"]
    assert sent(server) == [["feedfeedfeed"], ["beefbeefbeef"]]


def test_an_answer_of_trouble_is_tried_again(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """Twice where it may pass; a refusal for good waits for the next look."""
    change(looked, NEW, one="feedfeedfeed")
    server.codes = [503, 503, 200]
    assert lagbook("notify", "--warehouse", str(looked)).exit_code == 0
    change(looked, NEW, one="beefbeefbeef")
    server.codes = [404]
    assert lagbook("notify", "--warehouse", str(looked)).exit_code == 1
    assert sent(server) == [["feedfeedfeed"]] * 3 + [["beefbeefbeef"]]
    assert [body["may_repeat"] for body in server.bodies] == [False] * 4


def test_many_incidents_are_few_messages(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """The worst come first; each is in one message."""
    change(
        looked,
        "INSERT INTO mart.incidents BY NAME SELECT i.* REPLACE (format('{:012x}', n) AS incident_id, 9 + n AS rank)"
        " FROM (FROM mart.incidents LIMIT 1) AS i, range(250) AS t(n)",
    )
    result = lagbook("notify", "--warehouse", str(looked))
    assert [len(ids) for ids in sent(server)] == [100, 100, 50], result.output
    assert list(chain.from_iterable(sent(server))) == [f"{number:012x}" for number in range(250)]


def test_a_look_that_is_killed_says_that_it_may_repeat_itself(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """Nobody knows whether the message had arrived; nothing is lost."""
    change(looked, NEW, one="feedfeedfeed")
    server.silence.clear()
    command = [sys.executable, "-m", "dagster_project.cli", "notify", "--warehouse", str(looked)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not server.bodies:
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    server.silence.set()
    assert lagbook("notify", "--warehouse", str(looked)).exit_code == 0
    assert [body["may_repeat"] for body in server.bodies] == [False, True]
    assert sent(server) == [["feedfeedfeed"]] * 2


def test_two_processes_at_once_send_it_once(looked: Path, server: Requests) -> None:
    """As of two deployments on one warehouse."""
    change(looked, NEW, one="feedfeedfeed")
    command = [sys.executable, "-m", "dagster_project.cli", "notify", "--warehouse", str(looked)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
    for one in both:
        one.wait()
    assert sent(server) == [["feedfeedfeed"]]


def test_a_last_run_that_failed_is_sent_once(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """The next that fails is another."""
    where, began = ("--warehouse", str(looked)), datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
    for minute in (0, 0, 5):
        at = began + timedelta(minutes=minute)
        last_run.write(Warehouse(str(looked)), LastRun(at, at, "raw.segments: no space"))
        assert lagbook("notify", *where).exit_code == 0
    sentences = [one["sentence"] for body in server.bodies for one in body["failures"]]
    assert sentences == [
        f"the last run, which began at 2026-11-18T12:0{minute}:00.000Z, failed: raw.segments: no space."
        for minute in (0, 5)
    ]


def test_a_failed_run_waits_for_a_notifier_that_is_down(
    lagbook: Lagbook, looked: Path, server: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the next run went well."""
    at = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
    declare(monkeypatch, looked, hook=DOWN)
    last_run.write(Warehouse(str(looked)), LastRun(at, at, "no space"))
    assert lagbook("notify", "--warehouse", str(looked)).exit_code == 1
    last_run.write(Warehouse(str(looked)), LastRun(at, at))
    declare(monkeypatch, looked, hook=server.url)
    assert lagbook("notify", "--warehouse", str(looked)).stdout.startswith("hook: 1 failed run sent to ")
    assert [len(body["failures"]) for body in server.bodies] == [1]


def test_a_damaged_note_stops_its_notifier_alone(
    lagbook: Lagbook, looked: Path, server: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file, and what to do."""
    declare(monkeypatch, looked, hook=server.url, other=server.url)
    lagbook("notify", "--warehouse", str(looked))
    (looked / "_notified" / "other.json").write_text('{"sent": 5')
    change(looked, NEW, one="feedfeedfeed")
    result = lagbook("notify", "--warehouse", str(looked))
    assert (result.exit_code, sent(server)) == (1, [["feedfeedfeed"]])
    assert "other.json can't be read: " in result.stderr


def test_a_test_message_is_remembered_by_nobody(lagbook: Lagbook, looked: Path, server: Requests) -> None:
    """It arrives each time."""
    for _ in range(2):
        assert lagbook("notify", "--test", "--warehouse", str(looked)).exit_code == 0
    assert [(body["is_test"], body["incidents"]) for body in server.bodies] == [(True, [])] * 2


def test_no_hostile_name_reaches_the_terminal(lagbook: Lagbook, looked: Path) -> None:
    """Not in what would be sent."""
    change(looked, NEW, one="feedfeedfeed")
    change(looked, "UPDATE mart.incidents SET title = $name WHERE incident_id = 'feedfeedfeed'", name=HOSTILE)
    shown = lagbook("notify", "--dry-run", "--warehouse", str(looked)).output
    assert ("evil\\x1b[2J" in shown, "\x1b" in shown, "\u202e" in shown) == (True, False, False)


def test_without_a_notifier_the_command_is_refused(
    lagbook: Lagbook, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file and the table that are looked for."""
    monkeypatch.chdir(warehouse)
    monkeypatch.delenv("LAGBOOK_FILE", raising=False)
    result = lagbook("notify", "--warehouse", str(warehouse))
    assert (result.exit_code, "[[alerts.notify]]" in result.stderr) == (2, True)
    assert lagbook("notify", "--dry-run", "--test").exit_code == 2
