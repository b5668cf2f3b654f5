"""A Spark cluster of real processes on loopback: a master and workers, with the classes of pyspark's own jars.

Their life belongs here, and who can be killed. What runs on them is in the tests.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark

from dagster_project.java import find_java
from dagster_project.spark_session import SHORT_LIVED
from tests.broker.cluster import free_ports
from tests.broker.jvm import Program
from tests.broker.settings import HOST
from tests.broker.waiting import wait_until
from tests.processes import below, command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT: Final = Path(__file__).parents[2]
HOME: Final = Path(pyspark.__file__).parent
MASTER: Final = "org.apache.spark.deploy.master.Master"
WORKER: Final = "org.apache.spark.deploy.worker.Worker"
EXECUTOR: Final = b"CoarseGrainedExecutorBackend"
DAEMON: Final = b"\0pyspark.worker"
"""The word with which a daemon of any module is told what to fork."""
DEFAULTS: Final = {
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}
"""What whoever runs a cluster writes into spark-defaults.conf: addresses and sizes."""


@dataclass(frozen=True)
class Standalone:
    """A running cluster, and the environment of a program that uses it."""

    url: str
    workers: tuple[Program, ...]
    environment: Mapping[str, str]

    def executors(self) -> list[int]:
        """The Java processes that have tasks."""
        return [pid for pid in self._below() if EXECUTOR in command(pid)]

    def pythons(self) -> list[int]:
        """The Python processes that do the work of tasks."""
        return pythons(self._below())

    def _below(self) -> list[int]:
        return [pid for worker in self.workers for pid in below(worker.process.pid)]


def pythons(pids: Iterable[int]) -> list[int]:
    """What the daemons among some processes forked, each for the work of tasks."""
    daemons = [pid for pid in pids if DAEMON in command(pid)]
    return [pid for daemon in daemons for pid in below(daemon)]


def kill(pids: list[int]) -> int:
    """Kill processes at once (SIGKILL); how many of them there were."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)


@contextmanager
def standalone(folder: Path, workers: int, environment: Mapping[str, str]) -> Iterator[Standalone]:
    """Start a master and workers of one core each, whose processes have this environment; end them afterwards."""
    (port,) = free_ports(1)
    url, surroundings = f"spark://{HOST}:{port}", {**os.environ, **environment, **_surroundings(folder)}
    started: list[Program] = []
    try:
        master = _start(started, folder / "master", surroundings, MASTER, "--host", HOST, "--port", str(port))
        _wait(master, "I have been elected leader", 1)
        for number in range(workers):
            home = folder / f"worker-{number}"
            words = (WORKER, "--host", HOST, "--cores", "1", "--memory", "1g", "--work-dir", str(home), url)
            _start(started, home, surroundings, *words)
        _wait(master, "Registering worker", workers)
        yield Standalone(url, tuple(started[1:]), surroundings)
    finally:
        for program in reversed(started):
            program.kill()


def _surroundings(folder: Path) -> dict[str, str]:
    """What Spark's programs and the driver have to know: this Java, this Python, this code, and loopback."""
    settings = folder / "conf"
    settings.mkdir(parents=True)
    (settings / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in DEFAULTS.items()))
    return {
        "JAVA_HOME": str(find_java().home),
        "SPARK_HOME": str(HOME),
        "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED,
        "SPARK_CONF_DIR": str(settings),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }


def _start(started: list[Program], home: Path, surroundings: Mapping[str, str], role: str, *words: str) -> Program:
    home.mkdir()
    call = (sys.executable, "-m", "tests.spark.tied", str(HOME / "bin" / "spark-class"), role, "--webui-port", "0")
    started.append(Program([*call, *words], home / "stdout", home / "log", surroundings))
    return started[-1]


def _wait(program: Program, line: str, times: int) -> None:
    """Wait until a program has said something so often."""
    wait_until(lambda: program.err.read_text().count(line) == times, f"Spark to say {line!r} {times} times")
