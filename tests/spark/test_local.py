"""A run on Spark in its own process whose Python workers are killed: one loss is made good, many are one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack
from tests.processes import below
from tests.spark.standalone import ROOT, kill, pythons

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two partitions of the recorded incident."""
    recorded, chosen = unpack(tmp_path_factory.mktemp("recorded")), tmp_path_factory.mktemp("chosen")
    for name in ("__consumer_offsets-7", "__consumer_offsets-17"):
        shutil.copytree(recorded / name, chosen / name)
    return chosen


def run(logs: Path, warehouse: Path, is_to_die: Callable[[int], bool]) -> tuple[subprocess.Popen[str], str, int]:
    """`lagbook run` on two threads; workers are killed as they come, while `is_to_die` says so of their number."""
    call = [sys.executable, "-m", "dagster_project.cli", "run", "--logs", str(logs), "--warehouse", str(warehouse)]
    there = {**os.environ, "LAGBOOK_SPARK_MASTER": "local[2]", "PYTHONPATH": str(ROOT)}
    killed = 0
    with subprocess.Popen(call, env=there, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            workers = pythons(below(process.pid))
            if workers and is_to_die(killed):
                killed += kill(workers[:1])
        stderr = process.stderr.read() if process.stderr else ""
    return process, stderr, killed


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_a_run_nothing(logs: Path, tmp_path: Path) -> None:
    """Its task is given to another, and the run ends well with every record."""
    process, stderr, killed = run(logs, tmp_path, lambda killed: killed < 1)
    assert (process.returncode, killed) == (0, 1), stderr
    assert Warehouse(str(tmp_path)).row_count("core.commits") > 500


@pytest.mark.slow
def test_a_task_whose_workers_are_all_killed_is_one_sentence(logs: Path, tmp_path: Path) -> None:
    """Exit code 1, the partition, the cause, and nothing of Java."""
    process, stderr, killed = run(logs, tmp_path, lambda _killed: True)
    assert process.returncode == 1
    assert killed >= 4
    (sentence,) = (line for line in stderr.splitlines() if line.startswith("lagbook: ingest failed"))
    assert "__consumer_offsets-" in sentence
    assert "the Python process of the task was killed 4 times" in sentence
    assert "Py4J" not in stderr
    assert "\tat " not in stderr
