"""That Kafka's own tool takes the plan that `lagbook reset-plan` prints, and moves the group where it says."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pytest

from tests.broker.book import ROOT
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import GROUPS, Commands
from tests.broker.conftest import available
from tests.broker.desk import Desk
from tests.broker.releases import NEWEST
from tests.broker.waiting import epoch_ms

if TYPE_CHECKING:
    from pathlib import Path

GROUP: Final = "pay, \"ments'"
TOPIC: Final = "orders"
RECORDS: Final = 40
BEFORE: Final = {(TOPIC, 0): 12, (TOPIC, 1): 3}
AFTER: Final = {(TOPIC, 0): 30, (TOPIC, 1): 30, (TOPIC, 2): 30}
"""The group's offsets before somebody set them wrong, and after; partition 2 had none before."""
MOVED: Final = [[TOPIC, "0", "12"], [TOPIC, "1", "5"]]


def lagbook(*words: str) -> subprocess.CompletedProcess[str]:
    """Call `lagbook` as a user does."""
    command = [sys.executable, "-m", "dagster_project.cli", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def resets(before_ms: int, after_ms: int) -> list[tuple[str, ...]]:
    """Resets that the tool works out as well: to times before and after all records, and to offsets."""
    times = [("--to-datetime", str(before_ms)), ("--to-datetime", str(after_ms))]
    return [*times, ("--shift-by", "-7"), ("--shift-by", "700"), ("--to-earliest",), ("--to-latest",)]


def iso(instant_ms: int) -> str:
    """A time as the tool takes it."""
    return datetime.fromtimestamp(instant_ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@pytest.mark.slow
def test_the_tool_moves_the_group_where_the_plan_says(tmp_path: Path) -> None:
    """Back to where it stood at an instant: dry, then for good; what is below the log start by then is raised to it."""
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        clients, commands = Clients(cluster, tmp_path / "clients"), Commands(cluster, tmp_path / "commands")
        desk = Desk(cluster.release, tmp_path / "desk")
        commands.create_topic(TOPIC, 3)
        before_ms = epoch_ms()
        clients.produce(TOPIC, 3, RECORDS)
        clients.commit(GROUP, BEFORE)
        at_ms = epoch_ms()
        clients.commit(GROUP, AFTER)
        commands.delete_records(TOPIC, {1: 5})
        warehouse = str(tmp_path / "warehouse")
        lagbook(
            "run", "--bootstrap", cluster.bootstrap, "--logs", str(cluster.broker.node.logs), "--warehouse", warehouse
        )
        plan = lagbook("reset-plan", GROUP, "--at", str(at_ms), "--warehouse", warehouse)
        assert plan.stdout == "orders,0,12\norders,1,5\n"
        file = tmp_path / "plan.csv"
        file.write_text(plan.stdout)
        words = ("--reset-offsets", "--group", GROUP, "--from-file", str(file))
        for reset in resets(before_ms, at_ms):
            ours = lagbook("reset-plan", GROUP, *reset, "--warehouse", warehouse).stdout.split()
            to = ("--to-datetime", iso(int(reset[1]))) if reset[0] == "--to-datetime" else reset
            theirs = desk.ask(
                GROUPS,
                *("--bootstrap-server", cluster.bootstrap, "--reset-offsets", "--group", GROUP, "--all-topics"),
                *(*to, "--dry-run"),
            )
            rows = [line.split()[-3:] for line in theirs.splitlines() if line.split()[-3:-2] == [TOPIC]]
            assert ours == sorted(map(",".join, rows)), reset
        for how in ("--dry-run", "--execute"):
            moved = desk.ask(GROUPS, "--bootstrap-server", cluster.bootstrap, *words, how)
            assert sorted(line.split()[-3:] for line in moved.splitlines() if f"{TOPIC} " in line) == MOVED
        assert {part: offset for part, (offset, _) in clients.committed(GROUP, TOPIC).items()} == {0: 12, 1: 5, 2: 30}
    cost = json.loads(lagbook("reset-plan", GROUP, "--at", str(at_ms), "--json", "--warehouse", warehouse).stdout)
    assert [(row["offsets_again"], row["records"], row["offsets_lost"]) for row in cost] == [(18, 18, 0), (25, 25, 2)]
    assert "2 offsets below the log start are gone" in plan.stderr
