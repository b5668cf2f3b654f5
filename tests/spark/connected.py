"""A Spark Connect server on loopback, and runs on it that can be killed: each starts at once, for Spark stands already.

Put here the server's life, and how a run on it is killed. What must be left behind is said in `tests.assets.crash`.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from dagster_project.java import find_java
from dagster_project.spark_session import SHORT_LIVED, start_session
from tests.assets.forked import FORKS, read_and_replay
from tests.broker.cluster import free_ports
from tests.broker.jvm import Program
from tests.broker.settings import HOST
from tests.broker.waiting import wait_until
from tests.processes import below
from tests.spark.standalone import HOME, ROOT, pythons
from tests.spark.standalone import kill as kill_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.process import BaseProcess
    from multiprocessing.synchronize import Event
    from pathlib import Path

    from tests.assets.crash import Kill

SERVER: Final = "org.apache.spark.sql.connect.service.SparkConnectServer"
LINE_WHEN_UP: Final = "Spark Connect server started"
QUICK: Final = {
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.python.daemon.module": "tests.spark.loaded",
    "spark.sql.codegen.wholeStage": "false",
    "spark.ui.enabled": "false",
}
"""Nothing of what costs time at the start, and pays in a server that lives for days."""
LOADED: Final = ("tests.spark.connected", "assets.reconstruct.reconstruct", "pyspark.sql.connect.session")
"""What a run finds loaded; the last only where it is installed."""


def connect_server(folder: Path) -> tuple[Program, str]:
    """Start a server with two cores, and wait until it takes calls; the program, and its URL."""
    (port,) = free_ports(1)
    values = {**QUICK, "spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": str(port)}
    settings = [word for name, value in values.items() for word in ("--conf", f"{name}={value}")]
    submit = (str(HOME / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]", *settings)
    known = {"JAVA_HOME": str(find_java().home), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    folder.mkdir(exist_ok=True)
    call, log = (sys.executable, "-m", "tests.spark.tied", *submit, "spark-internal"), folder / "log"
    log.unlink(missing_ok=True)
    program = Program(call, folder / "out", log, {**os.environ, "SPARK_LOCAL_IP": HOST, **known})
    wait_until(lambda: LINE_WHEN_UP in log.read_text(), "the server to start")
    return program, f"sc://{HOST}:{port}"


def run_there(url: str, place: str, logs: Sequence[str], is_ready: Event) -> None:
    """One run on the server, which says when it is ready to read."""
    spark = start_session(url)
    spark.range(1).collect()
    is_ready.set()
    read_and_replay(place, logs, lambda: spark)


@dataclass
class Standing:
    """Runs on a server that stands; one that was killed with all of its Spark gets a new server.

    All of one server are in one session: who comes back to it finds Python processes in which everything is loaded.
    """

    folder: Path
    server: Program | None = None
    url: str = ""
    killed: dict[str, int] = field(default_factory=dict)
    """How many of which kind were killed."""

    def __post_init__(self) -> None:
        """Let runs be forked from a process that has everything loaded."""
        FORKS.set_forkserver_preload(list(LOADED))

    def __call__(self, place: Path, logs: Sequence[Path], kill: Kill | None = None) -> float | None:
        """From when a run is ready until it is done; None when it did not get there."""
        if self.server is None or not self.server.running:
            self.server, url = connect_server(self.folder)
            self.url = f"{url}/;session_id={uuid.uuid4()}"
        is_ready = FORKS.Event()
        run = FORKS.Process(target=run_there, args=(self.url, str(place), list(map(str, logs)), is_ready))
        run.start()
        wait_until(lambda: is_ready.is_set() or not run.is_alive(), "a run to be ready")
        began = time.monotonic()
        if kill is not None:
            run.join(kill.after_s)
            self._kill(run, self.server, kill.victim)
        run.join()
        if kill is None and run.exitcode != 0:
            raise AssertionError(f"a run that nobody killed ended with {run.exitcode}")
        return time.monotonic() - began if run.exitcode == 0 else None

    def end(self) -> None:
        """End the server."""
        if self.server is not None:
            self.server.kill()

    def _kill(self, run: BaseProcess, server: Program, victim: str) -> None:
        """Kill the driver, all Python that works for it if any does now, or the driver and all of Spark."""
        if not run.is_alive():
            return
        workers = pythons(below(server.process.pid))
        target = victim if victim != "worker" or workers else "driver"
        self.killed[target] = self.killed.get(target, 0) + 1
        if target == "worker":
            kill_all(workers)
            return
        if target == "machine":
            server.kill()
        run.kill()
