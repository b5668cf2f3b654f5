"""The same run on a Spark Connect server: no Java in the driver, the same tables.

What a cluster and a store do to a run is in `test_standalone`.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from dagster_project.cli.operations.demo import unpack
from tests.assets.crash import Kill, prepare, survive
from tests.spark.connected import Standing, connect_server
from tests.spark.test_standalone import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("grpc_status", reason="Spark Connect is not installed: pip install 'lagbook[connect]'")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A Connect server; its URL."""
    program, url = connect_server(tmp_path / "server")
    try:
        yield url
    finally:
        program.kill()


@pytest.mark.slow
def test_a_connect_server_gives_every_table(server: str, tmp_path: Path) -> None:
    """Spark's own variable names it; there is no Java below the driver, and a second run finds nothing new."""
    for folder in unpack(tmp_path / "recorded").glob("*-*[16]"):
        shutil.copytree(folder, tmp_path / "logs" / folder.name)
    environment = {**os.environ, "SPARK_REMOTE": server, "JAVA_HOME": "/nowhere"}
    actual = run(tmp_path / "here", str(tmp_path / "logs"), str(tmp_path / "here"), environment)
    assert len(actual["raw.offset_records"]) > 1_000
    assert len(actual["core.commits"]) > 1_000
    assert actual["mart.lag_now"]
    assert run(tmp_path / "here", str(tmp_path / "logs"), str(tmp_path / "here"), environment) == actual


@pytest.mark.slow
def test_runs_on_a_server_may_be_killed(tmp_path: Path) -> None:
    """Their driver, the Python of their tasks, or all of Spark; the long form is `tests.assets.crash`.

    A first run takes so much longer than the next that these would be over before they are killed. The driver comes
    first: a run may live on when Python is killed that waits for work, and then there is nothing left to kill.
    """
    standing = Standing(tmp_path / "server")
    try:
        logs, expected, cold_s = prepare(tmp_path, "__consumer_offsets-*[12]", standing)
        took = standing(tmp_path / "again", logs) or cold_s
        kills = [Kill(took * 0.2, victim) for victim in ("driver", "worker", "machine")]
        assert survive(tmp_path, logs, expected, kills, standing) > 0
    finally:
        standing.end()
    assert len(expected.rows["core.commits"]) > 1_000
