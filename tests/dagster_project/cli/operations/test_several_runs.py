"""Runs of several clusters: what becomes of the one under way when the call is told to end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

SCRIPT: Final = """
import sys
from unittest.mock import patch
from dagster_project.cli.main import main
from dagster_project.cli.operations import several_runs

RUN = several_runs._run
SLEEP = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(300)"]
with patch.object(several_runs, "_run", lambda _command: RUN(SLEEP)):
    main(["run"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_call_that_is_told_to_end_ends_the_run_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """It does not go on by itself, and no further cluster has its turn."""
    (tmp_path / "lagbook.toml").write_text('[clusters.a]\nlogs = "a"\n[clusters.b]\nlogs = "b"\n')
    monkeypatch.setenv("LAGBOOK_FILE", str(tmp_path / "lagbook.toml"))
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.send_signal(number)
        rest = running.stdout.read()
    assert (running.returncode, rest) == (130, "")
    until = time.monotonic() + 10
    while Path(f"/proc/{child}").exists():
        assert time.monotonic() < until, "the run goes on"
        time.sleep(0.1)
