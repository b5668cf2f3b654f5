"""A newcomer's evening: a live broker, eight groups, an incident, and the commands that one types at 3 a.m.

Everything is real: brokers, members, a recorder, a warehouse in a store that speaks S3, a terminal of 80 columns, and a
copy of the DuckDB file on a laptop that has nothing else.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner

from dagster_project.alerting import open_incidents
from dagster_project.cli import exits
from dagster_project.cli.main import main
from dagster_project.settings import open_warehouse
from tests.assets.inline import inline
from tests.broker.book import ROOT
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.recorder import recorded, recording
from tests.broker.releases import NEWEST
from tests.browser import browser
from tests.dagster_project.ui import dagster_dev
from tests.store import store_apart, url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

TOPIC: Final = "orders"
WIDE: Final = "clicks"
WIDE_PARTITIONS: Final = 240
RECORDS: Final = 40
RESET_TO: Final = 10
HOSTILE: Final = "evil\x1b[2J<b>'; DROP TABLE x"
GROUPS: Final = ("payments", "invoices", "wide", HOSTILE, "audit", "mail", "search", "stock")
ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, the only thing that a command may tell a terminal."""
COLUMNS: Final = 80


def live_through(clients: Clients, commands: Commands) -> None:
    """Two members, one of which is killed; a group that is set back and reads again; six that commit by themselves."""
    commands.create_topic(TOPIC, 3)
    commands.create_topic(WIDE, WIDE_PARTITIONS)
    clients.produce(TOPIC, 3, RECORDS)
    members = [clients.member("payments", TOPIC, commit="after") for _ in range(2)]
    reader = clients.member("invoices", TOPIC, commit="after", settings={"max.poll.records": "5"})
    reader.wait_for(3 * RECORDS)
    members[0].kill()
    reader.stop()
    members[1].wait_for_partitions()
    members[1].stop()
    for group in ("invoices", "payments"):
        commands.wait_until_empty(group)
    clients.alter("invoices", {(TOPIC, number): RESET_TO for number in range(3)})
    again = clients.member("invoices", TOPIC, commit="after")
    again.wait_for(3 * (RECORDS - RESET_TO))
    again.stop()
    clients.commit("wide", {(WIDE, number): 0 for number in range(WIDE_PARTITIONS)})
    for number, group in enumerate(GROUPS[3:]):
        clients.commit(group, {(TOPIC, 0): number})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The place of the evening; below `rec` is what the recorder copied."""
    return tmp_path_factory.mktemp("evening")


@pytest.fixture(scope="module")
def evening(folder: Path) -> Iterator[str]:
    """The warehouse of the evening, in a store: what a recorder copied while it went on, read by one run."""
    with (
        running(available(NEWEST), folder / "cluster") as cluster,
        recording(cluster.bootstrap, folder / "rec") as recorder,
    ):
        live_through(Clients(cluster, folder / "clients"), Commands(cluster, folder / "commands"))
        recorder.wait_for(recorded(cluster.broker.node.logs))
        assert recorder.stop() == 0
    with store_apart(busy_every=1_000_000), pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAGBOOK_CACHE", str(folder / "cache"))
        patch.setattr("dagster_project.spark_session.start_session", lambda _master: inline())
        words = ["run", "--logs", str(folder / "rec"), "--warehouse", url("evening")]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        yield url("evening")


def typed(warehouse: str, *words: str, ends: int = exits.DONE) -> list[str]:
    """What a terminal of 80 columns shows of a command, which ends as it should."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "dagster_project.cli", *words, "--warehouse", warehouse]
    with subprocess.Popen(command, cwd=ROOT, stdin=secondary, stdout=secondary, stderr=secondary) as process:
        os.close(secondary)
        shown = b""
        try:
            while part := os.read(primary, 1 << 16):
                shown += part
        except OSError:  # how the end of a terminal looks on Linux
            pass
    os.close(primary)
    text = ESCAPES.sub("", shown.decode())
    assert process.returncode == ends, text
    assert "\x1b" not in text
    return text.replace("\r\n", "\n").splitlines()


def test_every_group_is_listed_whatever_it_is_called(evening: str) -> None:
    """All eight; the hostile name as a shell takes it back, and taken back it is that group."""
    lines = typed(evening, "groups")
    names = [line.split()[0] for line in lines if not line.startswith(("lagbook:", "GROUP", " "))]
    assert {"payments", "invoices", "wide", "audit"} <= set(names)
    (hostile,) = (line for line in lines if line.startswith("$'evil"))
    quoted = re.match(r"\$'(?:[^'\\]|\\.)*'", hostile)
    assert quoted
    name = subprocess.run(["bash", "-c", f"printf %s {quoted[0]}"], capture_output=True, check=True).stdout.decode()  # noqa: S607 - the shell of whoever tests
    assert name == HOSTILE
    assert any(line.startswith("$'evil") for line in typed(evening, "describe", name))


def test_the_audit_names_what_was_read_again(evening: str) -> None:
    """Thirty records of each of three partitions, by an admin, in lines that fit."""
    lines = typed(evening, "audit", ends=exits.INCIDENTS)
    assert re.search(
        r"invoices .*re-read about 90 offsets in 3 partitions of orders", " ".join(" ".join(lines).split())
    )
    assert [line for line in lines if len(line) > COLUMNS] == []


def test_of_240_partitions_the_worst_are_shown(evening: str) -> None:
    """Ten, with how many there are."""
    lines = typed(evening, "describe", "wide")
    assert sum(line.startswith("wide ") for line in lines) == 10
    assert "of 240" in " ".join(lines)


def test_the_way_back_is_a_plan(evening: str) -> None:
    """Before the reset the group stood at the end of its log."""
    plan = typed(evening, "explain", "invoices", TOPIC, "0")
    assert f"set back from {RECORDS} to {RESET_TO}" in " ".join(plan)
    assert any("read on" in line for line in plan)


def test_the_pages_fit_on_a_phone(evening: str, tmp_path: Path) -> None:
    """Of the cluster and of each group; a link from one to the other."""
    typed(evening, "report", "--cluster", "--directory", str(tmp_path / "pages"))
    pages = sorted((tmp_path / "pages").iterdir())
    assert len(pages) == 1 + len(GROUPS)
    with browser(tmp_path) as tab:
        for page in pages:
            tab.open_file(page, 360)
            assert (page.name, tab.beyond_the_screen()) == (page.name, [])


def test_dagster_finds_nothing_new_and_shows_the_incident(evening: str, folder: Path, tmp_path: Path) -> None:
    """A refresh of the same logs succeeds in the UI; the page of the check lists what was read again."""
    (tmp_path / "lagbook.toml").write_text('[alerts]\nseverity = "low"\n')
    names = {"LAGBOOK_LOGS": str(folder / "rec"), "LAGBOOK_WAREHOUSE": evening}
    with (
        dagster_dev(tmp_path, {**names, "LAGBOOK_FILE": str(tmp_path / "lagbook.toml")}) as ui,
        browser(tmp_path) as tab,
    ):
        ui.run("refresh")
        tab.open(f"{ui.root}/assets/mart/incidents?view=checks&checkDetail={open_incidents.CHECK}")
        tab.click("[Show Markdown]")
        page = tab.shown("re-read about 90 offsets in 3 partitions of orders")
        assert tab.errors == []
    assert "\x1b" not in page


def test_a_copy_on_a_laptop_answers(evening: str, tmp_path: Path) -> None:
    """The DuckDB file alone, in a process that knows of no store and no warehouse; a mistyped name is an error."""
    shutil.copy(open_warehouse(evening).duckdb_path, tmp_path / "lagbook.duckdb")
    code = (
        "import duckdb, json, sys; c = duckdb.connect(sys.argv[1], read_only=True); print(json.dumps(["
        "c.execute(\"SELECT count(*) FROM lag_at('infinity'::TIMESTAMPTZ, 'wide')\").fetchall(),"
        "c.execute('SELECT count(DISTINCT group_id) FROM mart.lag_now').fetchall()]))\n"
        "try:\n c.execute(\"FROM lag_at('infinity'::TIMESTAMPTZ, 'invoces')\").fetchall()\n"
        "except duckdb.InvalidInputException as error: print(error)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS", "LAGBOOK"))}
    words = [sys.executable, "-c", code, str(tmp_path / "lagbook.duckdb")]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    counts, refusal = done.stdout.splitlines()[:2]
    assert json.loads(counts) == [[[WIDE_PARTITIONS]], [[len(GROUPS)]]]
    assert "group 'invoces' is not in this warehouse; the nearest: 'invoices'" in refusal
