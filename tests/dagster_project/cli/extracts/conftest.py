"""A warehouse of the demo's recording, for commands that take something out of it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.whole_run import whole_run

DEMO = Path(__file__).parents[4] / "dagster_project" / "demo" / "incident-4.3.tar.xz"


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory of the recorded broker; tests copy what they change."""
    folder = tmp_path_factory.mktemp("demo")
    with tarfile.open(DEMO) as packed:
        packed.extractall(folder, filter="data")
    return folder / "data"


@pytest.fixture(scope="session")
def incidents(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse after one run over these logs."""
    folder = tmp_path_factory.mktemp("warehouse")
    run = whole_run(folder, [logs])
    assert run.exit_code == 0, run.stderr
    return folder
