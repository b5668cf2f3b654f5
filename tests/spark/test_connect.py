"""The same run on a Spark Connect server: no Java in the driver, the same tables.

What a cluster and a store do to a run is in `test_standalone`.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from dagster_project.cli.demo import unpack
from dagster_project.java import find_java
from tests.broker.cluster import free_ports
from tests.broker.jvm import Program
from tests.broker.settings import HOST
from tests.broker.waiting import wait_until
from tests.spark.standalone import HOME, ROOT
from tests.spark.test_standalone import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("grpc_status", reason="Spark Connect is not installed: pip install 'lagbook[connect]'")

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A Connect server with two cores; its URL."""
    (port,) = free_ports(1)
    told = {"spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": str(port)}
    settings = [word for name, value in told.items() for word in ("--conf", f"{name}={value}")]
    submit = (
        str(HOME / "bin" / "spark-submit"),
        "--class",
        SERVER,
        "--master",
        "local[2]",
        *settings,
        "spark-internal",
    )
    known = {"JAVA_HOME": str(find_java().home), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    call = (sys.executable, "-m", "tests.spark.tied", *submit)
    program = Program(call, tmp_path / "out", tmp_path / "log", {**os.environ, "SPARK_LOCAL_IP": HOST, **known})
    try:
        wait_until(lambda: "Spark Connect server started" in (tmp_path / "log").read_text(), "the server to start")
        yield f"sc://{HOST}:{port}"
    finally:
        program.kill()


@pytest.mark.slow
def test_a_connect_server_gives_every_table(server: str, tmp_path: Path) -> None:
    """Spark's own variable names it; there is no Java below the driver, and a second run finds nothing new."""
    for folder in unpack(tmp_path / "recorded").glob("*-*[16]"):
        shutil.copytree(folder, tmp_path / "logs" / folder.name)
    environment = {**os.environ, "SPARK_REMOTE": server, "JAVA_HOME": "/nowhere"}
    found = run(tmp_path / "here", str(tmp_path / "logs"), str(tmp_path / "here"), environment)
    assert len(found["raw.offset_records"]) > 1_000
    assert len(found["core.commits"]) > 1_000
    assert found["mart.lag_now"]
    assert run(tmp_path / "here", str(tmp_path / "logs"), str(tmp_path / "here"), environment) == found
